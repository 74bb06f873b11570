"""Files that the tests of importers write: good ones, small."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

#: A box of 1 x 2 x 3 about (0.5, 1, 1.5).
POINTS = np.array([[x, y, z] for z in (0.0, 3.0) for y in (0.0, 2.0) for x in (0.0, 1.0)])
FACES = np.array(
    [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
     [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
)  # fmt: skip


def obj(points: Any = POINTS, faces: Any = FACES) -> str:
    lines = ["o crate", *(f"v {x:g} {y:g} {z:g}" for x, y, z in points)]
    return "\n".join([*lines, *("f " + " ".join(str(k + 1) for k in row) for row in faces), ""])


def stl() -> bytes:
    rows = b"".join(
        struct.pack("<12fH", 0, 0, 0, *POINTS[face].astype("f4").ravel(), 0) for face in FACES
    )
    return bytes(80) + struct.pack("<I", len(FACES)) + rows


def stl_text() -> str:
    rows = []
    for face in FACES:
        corners = "".join(f"vertex {x:g} {y:g} {z:g}\n" for x, y, z in POINTS[face])
        rows.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n")
    return "solid crate\n" + "".join(rows) + "endsolid crate\n"


def ply() -> str:
    head = (
        f"ply\nformat ascii 1.0\nelement vertex {len(POINTS)}\nproperty float x\nproperty float y\n"
        f"property float z\nelement face {len(FACES)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    points = "".join(f"{x:g} {y:g} {z:g}\n" for x, y, z in POINTS)
    return head + points + "".join(f"3 {a} {b} {c}\n" for a, b, c in FACES)


def dae(unit: str = "0.01", up: str = "Z_UP") -> str:
    numbers = " ".join(f"{x:g}" for x in POINTS.ravel())
    corners = " ".join(str(k) for k in FACES.ravel())
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g" name="crate"><mesh>
<source id="p"><float_array id="pa" count="{POINTS.size}">{numbers}</float_array><technique_common>
<accessor source="#pa" count="{len(POINTS)}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{len(FACES)}"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="crate"><translate>0 0 10</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def gltf(**changes: Any) -> dict[str, Any]:
    """A box as a document whose buffer is in it; y is up."""
    data = POINTS.astype("<f4").tobytes() + FACES.astype("<u2").tobytes()
    split = POINTS.size * 4
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "room", "translation": [0, 1, 0], "children": [1]},
            {"name": "crate", "mesh": 0, "translation": [5, 0, 0], "scale": [2, 2, 2]},
        ],
        "meshes": [{"name": "box", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"name": "red", "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 0.5]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(POINTS), "type": "VEC3",
             "min": POINTS.min(0).tolist(), "max": POINTS.max(0).tolist()},
            {"bufferView": 1, "componentType": 5123, "count": FACES.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": split},
            {"buffer": 0, "byteOffset": split, "byteLength": len(data) - split},
        ],
        "buffers": [
            {"byteLength": len(data),
             "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}
        ],
    }  # fmt: skip
    return {**document, **changes}


def glb(document: dict[str, Any] | None = None) -> bytes:
    """The same as a GLB."""
    found = gltf() if document is None else document
    data = base64.b64decode(found["buffers"][0].pop("uri").partition(",")[2])
    text = json.dumps(found).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = (
        struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(data), b"BIN\0")
        + data
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


OGRE_MESH = """<mesh><sharedgeometry vertexcount="4"><vertexbuffer positions="true">
<vertex><position x="0" y="0" z="0"/></vertex><vertex><position x="1" y="0" z="0"/></vertex>
<vertex><position x="0" y="1" z="0"/></vertex><vertex><position x="0" y="0" z="1"/></vertex>
</vertexbuffer></sharedgeometry><submeshes><submesh material="m" usesharedvertices="true"><faces count="4">
<face v1="0" v2="2" v3="1"/><face v1="0" v2="1" v3="3"/><face v1="1" v2="2" v3="3"/><face v1="0" v2="3" v3="2"/>
</faces></submesh></submeshes><skeletonlink name="man.skeleton"/></mesh>"""
OGRE_SKELETON = """<skeleton><bones><bone id="0" name="hip"><position x="0" y="1" z="0"/>
<rotation angle="0"><axis x="1" y="0" z="0"/></rotation></bone><bone id="1" name="knee">
<position x="0" y="-0.5" z="0"/><rotation angle="1.5707963"><axis x="1" y="0" z="0"/></rotation></bone></bones>
<bonehierarchy><boneparent bone="knee" parent="hip"/></bonehierarchy></skeleton>"""
OGRE_SCENE = """<scene formatVersion="1.0"><nodes><node name="man">
<position x="1" y="2" z="3"/><rotation qx="0" qy="0" qz="0" qw="1"/><scale x="2" y="2" z="2"/>
<entity name="e" meshFile="man.mesh"/></node></nodes></scene>"""
SVG = """<svg width="4000mm" height="3000mm" viewBox="0 0 4 3"><g transform="translate(1 1)">
<rect id="bed" class="furniture Soft" x="0" y="0" width="1" height="2"/></g>
<line id="wall" x1="0" y1="0" x2="4" y2="0" stroke-width="0.1"/>
<path id="nook" d="M0 0h1v1h-1z"/><circle id="post" cx="3" cy="2" r="0.2"/></svg>"""
URDF = """<robot name="arm"><link name="base"><visual><geometry><mesh filename="part.stl"/></geometry></visual>
<collision><geometry><box size="1 1 0.2"/></geometry></collision></link><link name="top"><collision name="ball">
<geometry><sphere radius="0.1"/></geometry></collision></link><joint name="j" type="revolute">
<parent link="base"/><child link="top"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def dxf_text(units: int = 4) -> str:
    import io

    import ezdxf

    drawing = ezdxf.new("R2010")
    drawing.header["$INSUNITS"] = units
    space = drawing.modelspace()
    space.add_lwpolyline(
        [(0, 0), (4000, 0), (4000, 200), (0, 200)], close=True, dxfattribs={"layer": "WALLS"}
    )
    space.add_line((0, 0), (0, 3000), dxfattribs={"layer": "WALLS"})
    space.add_circle((1000, 1000), 250, dxfattribs={"layer": "columns"})
    block = drawing.blocks.new("chair")
    block.add_lwpolyline([(0, 0), (500, 0), (500, 500), (0, 500)], close=True)
    space.add_blockref("chair", (2000, 2000), dxfattribs={"layer": "furniture"})
    stream = io.StringIO()
    drawing.write(stream)
    return stream.getvalue()


def ifc_text() -> str:
    """A wall of 4 x 0.2 x 2.5 m in millimeters, and a space."""
    return """ISO-10303-21;
HEADER;FILE_DESCRIPTION((''),'2;1');FILE_NAME('','',(''),(''),'','','');FILE_SCHEMA(('IFC4'));ENDSEC;
DATA;
#1=IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.);
#2=IFCUNITASSIGNMENT((#1));
#3=IFCCARTESIANPOINT((0.,0.,0.));
#4=IFCAXIS2PLACEMENT3D(#3,$,$);
#5=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#4,$);
#6=IFCPROJECT('0YvctVUKr0kugbFTf53O9L',$,'p',$,$,$,$,(#5),#2);
#7=IFCCARTESIANPOINT((1000.,0.,0.));
#8=IFCAXIS2PLACEMENT3D(#7,$,$);
#9=IFCLOCALPLACEMENT($,#8);
#10=IFCCARTESIANPOINT((0.,0.));
#11=IFCAXIS2PLACEMENT2D(#10,$);
#12=IFCRECTANGLEPROFILEDEF(.AREA.,$,#11,4000.,200.);
#13=IFCDIRECTION((0.,0.,1.));
#14=IFCEXTRUDEDAREASOLID(#12,#4,#13,2500.);
#15=IFCSHAPEREPRESENTATION(#5,'Body','SweptSolid',(#14));
#16=IFCPRODUCTDEFINITIONSHAPE($,$,(#15));
#17=IFCWALL('2O2Fr$t4X7Zf8NOew3FLOH',$,'North wall',$,$,#9,#16,$,$);
#18=IFCSPACE('3O2Fr$t4X7Zf8NOew3FLOH',$,'Room',$,$,#9,#16,$,$,$,$);
ENDSEC;
END-ISO-10303-21;
"""


def written(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path
