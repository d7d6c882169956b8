from pauci import objectives


def test_every_public_name_loads():
    assert dir(objectives) == sorted(objectives.__all__)
    for name in objectives.__all__:
        assert getattr(objectives, name).__module__.startswith("pauci.objectives.") or name == "Selector"
