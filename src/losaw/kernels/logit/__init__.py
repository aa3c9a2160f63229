"""The penalised multinomial logit on cells, fitted by a quasi-Newton method in contrasts."""
