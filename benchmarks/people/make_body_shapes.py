"""Make handik/data/people/body_shapes.csv: what the tape reads on the mesh's eighteen shapes.

Run after make_body.py: ``python benchmarks/people/make_body_shapes.py``.
"""

from __future__ import annotations

import csv
from pathlib import Path

from handik.people.surface._data import BODY_SEXES
from handik.people.surface._fit import shape_rows

OUT = Path(__file__).parents[2] / "handik" / "data" / "people" / "body_shapes.csv"

if __name__ == "__main__":
    rows = [{"sex": sex, **row} for sex in BODY_SEXES for row in shape_rows(sex)]
    with OUT.open("w", encoding="utf-8", newline="") as text:
        table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        table.writeheader()
        for row in rows:
            table.writerow({k: v if isinstance(v, str) else f"{v:.4f}" for k, v in row.items()})
