"""The penalised multinomial logit: its terms and Newton's method, one at a time and eight at once."""
