"""The rows that the papers use, on data frames made by hand."""

import numpy as np
import pandas as pd

from losaw.study.datasets import frames


def test_round_diamonds_are_chosen_in_float64():
    # In float64, 4.05 - 4.03 is just below .02, 5.73 - 5.75 just above it in absolute value.
    frame = pd.DataFrame(
        {"x": [4.03, 5.73, 1.0, 3.0], "y": [4.05, 5.75, 1.01, 2.9], "depth": 1.0, "z": 1.0}
    )
    expected = [i for i in range(4) if abs(frame["x"][i] - frame["y"][i]) < 0.02]
    cleaned = frames.clean_diamonds(frame)
    assert list(cleaned["x_length"]) == list(frame["x"][expected])
    assert 1 < len(expected) < 4
    assert {"depth_perc", "y_width", "z_depth"} <= set(cleaned.columns)


def test_adult_keeps_complete_rows_of_people_born_in_the_united_states(tmp_path):
    rows = [
        "39, State-gov, 1, B, 13, N, A, F, W, Male, 0, 0, 40, United-States, <=50K",
        "39, ?, 1, B, 13, N, A, F, W, Male, 0, 0, 40, United-States, <=50K",
        "39, Private, 1, B, 13, N, A, F, W, Male, 0, 0, 40, Cuba, >50K",
    ]
    path = tmp_path / "adult.data.txt"
    path.write_text("\n".join(rows))
    frame = frames.read_files("adult", [path])
    assert frame.shape == (3, 15)
    cleaned = frames.clean_adult(frame)
    assert list(cleaned["workclass"]) == ["State-gov"]
    assert "native-country" not in cleaned


def test_rna_editing_gets_its_constant_position_zero_in_its_place():
    columns = ["row", "edit", *(f"X.{i}" for i in range(20, 0, -1))]
    columns += [*(f"X{i}" for i in range(1, 21)), "cp", "fe", "dfe"]
    cleaned = frames.clean_rna_editing(pd.DataFrame([["A"] * 45], columns=columns))
    assert list(cleaned.columns[20:24]) == ["X.1", "X0", "X1", "X2"]
    assert cleaned.shape == (1, 45)


def test_california_housing_drops_incomplete_rows_and_orders_the_proximity():
    frame = pd.DataFrame(
        {"total_bedrooms": [1.0, np.nan, 2.0], "ocean_proximity": ["INLAND", "ISLAND", "ISLAND"]}
    )
    cleaned = frames.clean_california_housing(frame)
    assert list(cleaned["ocean_proximity"]) == [4.0, 0.0]


def test_enhancer_parts_are_stacked_with_their_labels(tmp_path):
    for part, label in (("train", 1), ("test", 0)):
        (tmp_path / f"X_{part}.csv").write_text(",0,1\n0,1.5,2.5\n")
        (tmp_path / f"y_{part}.csv").write_text(f",0\n0,{label}\n")
    frame = frames.read_files(
        "chip_enhancer",
        [tmp_path / f"{kind}_{part}.csv" for part in ("train", "test") for kind in "Xy"],
    )
    assert list(frame["label"]) == [1, 0]
    assert list(frame["part"]) == ["train", "test"]
