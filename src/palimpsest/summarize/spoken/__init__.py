"""What people say: the one home of the words by which a sentence of a user is heard, in every language.

A sentence holds on unless it shows that it is of the moment. To teach a language, go through the meanings in this
order; each is a table with a line for each language, or a list in which a language stands beside the others:

- `orders`: how an order begins, what says always and never, when and how often, what allows, and what allows less
- `moment`: what points to a day or to what is at hand, tells a past, guesses, feels, answers
- `errands`: what is asked for once
- `cues`: what says no, must, from now on; decisions; small talk
- `changes`: how a mind is changed, and what is replaced
- `remarks`: how work is given, and what is shrugged off
- `telling`: that a deed is done, due, not so, let, or waits; `offers`: that more may be had
- `machines`, `bids`: how machines are called upon, and bidden, by what was not written for one
- `texts`: stop words, shortened words, what points to a text beside

`tests/summarize/spoken/test_spoken.py` has the sentences that a language must tell apart: begin with its own there.
A list needs only words that change what is heard of them.
"""
