"""What several have paid on one branch at the same time adds up, whoever is first."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.spending import Account, Meter, carried_over

WRITERS = 3


def paid(account: Account, number: int, units: int) -> Account:
    """The account with one more call."""
    bill, never = account.meter.bill + units, account.meter.never_bill + 2 * units
    return Account(
        Meter(units, 0, bill, never), "m", number, units, units, account.calls + 1, account.output_tokens + units,
        account.cost + units, account.never_cost + 2 * units,
    )  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, WRITERS - 1), st.integers(1, 99), st.booleans()), max_size=30))
def test_calls_of_several_writers_add_up_however_they_are_kept(
    calls: list[tuple[int, int, bool]],
) -> None:
    kept: Account | None = None
    mine, since = [Account()] * WRITERS, [Account()] * WRITERS
    for number, (who, units, keeps) in enumerate(calls, 1):
        mine[who] = paid(mine[who], number, units)
        if keeps:
            kept = carried_over(kept, since[who], mine[who])
            since[who] = mine[who]
    for who in range(WRITERS):
        kept = carried_over(kept, since[who], mine[who])
    assert kept is not None
    units = sum(one for _, one, _ in calls)
    assert (kept.calls, kept.output_tokens, kept.cost, kept.never_cost) == (
        len(calls),
        units,
        units,
        2 * units,
    )
    assert (kept.meter.bill, kept.meter.never_bill) == (units, 2 * units)


def test_nobody_elses_account_and_none_to_add_to_leave_it_as_it_is() -> None:
    account = paid(Account(), 1, 5)
    assert carried_over(None, Account(), account) == account
    assert carried_over(replace(account, calls=9), None, account) == account
    assert carried_over(account, account, paid(account, 2, 7)) == paid(account, 2, 7)
