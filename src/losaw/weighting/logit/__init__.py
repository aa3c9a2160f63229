"""The penalised multinomial logit: its terms and Newton's method, alone and eight at once."""
