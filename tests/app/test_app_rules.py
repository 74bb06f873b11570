"""Building codes, shares and the report in the application: what the library says, in both languages."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._acts_rules import codes


def kitchen() -> App:
    app = App()
    app.do("node.gallery", scene="kitchen")
    app.do("person.add", sex="female")
    app.do("solve.live", live=False)
    return app


def test_a_code_is_checked_as_the_library_does_and_said_in_both_languages() -> None:
    app = kitchen()
    assert "ADA2010" in codes()
    for code in codes()[:2]:
        said = app.do("access.rules", code=code)
        found = hk.access.check(app.document.scene, code)
        rows = app.document.findings
        assert sorted((r.place, r.verdict) for r in rows) == sorted(
            (f.place, f.verdict) for f in found
        )
        assert f"{found.counts['fail']} rules fail" in said
        order = [
            {"fail": 0, "recommended, not met": 1, "pass": 2, "not measured": 3}[row.verdict]
            for row in rows
        ]
        assert order == sorted(order)
    words = {language: what for language, what, *_ in app.document.findings[0].words}
    assert words["en"] != words["fr"]
    app.do("joint.set", dof="elbow_flexion_right", value=1.0)
    assert app.document.findings  # a posture changes nothing of them
    app.do("node.move", nodes=["kitchen"], by=[0, 0, 0.1])
    assert app.document.findings == ()


def test_a_share_is_that_of_the_library_with_its_interval() -> None:
    app = kitchen()
    place = app.document.scene.world("person")
    target = (place @ [0.62, -0.25, 1.0, 1])[:3]
    app.do("target.set", at=target.tolist())
    said = app.do("access.share", count=3, seed=1)
    told = app.document.sharing
    assert told is not None
    found = hk.access.share(
        hk.population(3, seed=1), None, target[None], places=[place], position="seated"
    )
    np.testing.assert_allclose(
        [told.share, told.low, told.high], [found.share, *found.interval], atol=1e-12
    )
    assert f"{100 * found.share:.0f} % of 3 people" in said
    with pytest.raises(hk.ArgumentError, match="1 to 1000"):
        app.do("access.share", count=0)


def test_a_report_is_given_as_one_page() -> None:
    app = App()
    app.do("node.add", kind="target", name="switch", at=[0.6, 0.0, 1.1])
    app.do("person.add", sex="female")
    app.do("view.language", language="fr")
    app.do("access.report")
    name, page = app.given[-1].name, app.given[-1].data.decode()
    assert name == "access.html"
    assert '<html lang="fr"' in page
    assert "switch" in page
    app.do("person.set", position="standing")
    with pytest.raises(hk.ArgumentError, match="seated"):
        app.do("access.report")
