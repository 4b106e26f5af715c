from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import sudare as sd
from sudare.ledger import Charge, admit, spent

tenths = st.integers(1, 50).map(lambda i: Fraction(i, 10))


def charge(epsilon: Fraction) -> Charge:
    return Charge("account", "question", epsilon)


def test_ten_tenths_are_one_exactly() -> None:
    charges = [charge(Fraction("0.1"))] * 10
    admit(charges, Fraction(0), Fraction(1))
    assert spent(charges) == 1
    with pytest.raises(sd.BudgetExceeded):
        admit(charges[:1], Fraction(1), Fraction(1))


@given(st.lists(tenths, max_size=20), tenths)
def test_what_is_admitted_never_exceeds_the_cap(requests: list[Fraction], cap: Fraction) -> None:
    total = Fraction(0)
    for request in requests:
        try:
            admit([charge(request)], total, cap)
        except sd.BudgetExceeded as refusal:
            assert total + request > cap
            assert Fraction(refusal.short_by) == total + request - cap
        else:
            total += request
    assert total <= cap
