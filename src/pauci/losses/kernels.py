"""Triton kernels of the PAUCI pass: class sums and slopes, then value and gradients."""
# mypy: ignore-errors

try:
    import triton
    import triton.language as tl
except ImportError:  # CPU builds of torch come without it, and do not need it
    triton = None

__all__ = ["triton"]

if triton is not None:

    @triton.jit
    def moments_kernel(
        score,
        positive,
        weight,
        descent,
        ascent,
        low,
        high,
        shape,
        slope,
        partial,
        n,
        gamma_low,
        gamma_high,
        SELECT_POSITIVES: tl.constexpr,
        SELECT_NEGATIVES: tl.constexpr,
        DUAL: tl.constexpr,
        LOGITS: tl.constexpr,
        WEIGHTED: tl.constexpr,
        BLOCK: tl.constexpr,
    ):
        """Project the inner variables; write each score's slope and each program's share of the class sums."""
        program = tl.program_id(0)
        six = tl.arange(0, 8)
        boxed = tl.load(descent + six, mask=six < 6, other=0.0)
        boxed = tl.minimum(
            tl.maximum(boxed, tl.load(low + six, mask=six < 6, other=0.0)),
            tl.load(high + six, mask=six < 6, other=0.0),
        )
        gamma = tl.minimum(tl.maximum(tl.load(ascent), gamma_low), gamma_high)
        if program == 0:
            # Others may read before or after: they project what they read all the same.
            tl.store(descent + six, boxed, mask=six < 6)
            tl.store(ascent, gamma)
        a = tl.sum(tl.where(six == 0, boxed, 0.0))
        b = tl.sum(tl.where(six == 1, boxed, 0.0))
        s_pos = tl.sum(tl.where(six == 2, boxed, 0.0))
        s_neg = tl.sum(tl.where(six == 3, boxed, 0.0))
        sharpness = tl.load(shape)

        row = program * BLOCK + tl.arange(0, BLOCK)
        inside = row < n
        f = tl.load(score + row, mask=inside, other=0.0).to(tl.float32)
        if LOGITS:
            f = tl.sigmoid(f)
        is_pos = tl.load(positive + row, mask=inside, other=0) != 0
        w = tl.load(weight + row, mask=inside, other=0.0).to(tl.float32) if WEIGHTED else tl.where(inside, 1.0, 0.0)
        tilt = tl.where(is_pos, -2.0, 2.0) * (1 + gamma)
        offset = f - tl.where(is_pos, a, b)
        loss = offset * offset + tilt * f
        z = (loss - tl.where(is_pos, s_pos, s_neg)) * sharpness
        if DUAL:
            q = tl.minimum(tl.maximum(z, 0.0), 1.0)
            v = q * (z - 0.5 * q) / sharpness
        else:
            tail = tl.exp(-tl.abs(z))
            q = tl.where(z >= 0, 1.0, tail) / (1 + tail)
            v = (tl.maximum(z, 0.0) + tl.log(1 + tail)) / sharpness
        if not SELECT_POSITIVES:
            v = tl.where(is_pos, loss, v)
            q = tl.where(is_pos, 1.0, q)
        if not SELECT_NEGATIVES:
            v = tl.where(is_pos, v, loss)
            q = tl.where(is_pos, q, 1.0)
        gradient = w * q * (2 * offset + tilt)
        if LOGITS:
            gradient = gradient * f * (1 - f)
        tl.store(slope + row, gradient, mask=inside)
        of_pos = tl.where(is_pos, w, 0.0)
        of_neg = w - of_pos
        out = partial + program * 8
        tl.store(out + 0, tl.sum(of_pos))
        tl.store(out + 1, tl.sum(of_neg))
        tl.store(out + 2, tl.sum(of_pos * v))
        tl.store(out + 3, tl.sum(of_neg * v))
        tl.store(out + 4, tl.sum(of_pos * q))
        tl.store(out + 5, tl.sum(of_neg * q))
        tl.store(out + 6, tl.sum(of_pos * q * f))
        tl.store(out + 7, tl.sum(of_neg * q * f))

    @triton.jit
    def settle_kernel(
        partial,
        parts,
        positive,
        descent,
        ascent,
        shape,
        slope,
        out,
        n,
        ranks,
        alpha,
        beta,
        prior,
        HAS_PRIOR: tl.constexpr,
        SELECT_POSITIVES: tl.constexpr,
        SELECT_NEGATIVES: tl.constexpr,
        PARTS: tl.constexpr,
        BLOCK: tl.constexpr,
    ):
        """Turn class sums into value and gradients, as `pauci.losses.terms.settle` does, and slopes into gradients."""
        part = tl.arange(0, PARTS)
        there = part < parts
        n_pos = tl.sum(tl.load(partial + part * 8 + 0, mask=there, other=0.0))
        n_neg = tl.sum(tl.load(partial + part * 8 + 1, mask=there, other=0.0))
        if HAS_PRIOR:
            total = n_pos + n_neg
            total = tl.where(total == 0, 1.0, total)
            size_pos = prior * total
            size_neg = (1 - prior) * total
        else:
            size_pos = tl.where(n_pos == 0, 1.0, n_pos)
            size_neg = tl.where(n_neg == 0, 1.0, n_neg)
        to_pos = 1 / (alpha * size_pos)
        to_neg = 1 / (beta * size_neg)

        program = tl.program_id(0)
        row = program * BLOCK + tl.arange(0, BLOCK)
        inside = row < n
        is_pos = tl.load(positive + row, mask=inside, other=0) != 0
        gradient = tl.load(slope + row, mask=inside, other=0.0)
        tl.store(slope + row, gradient * tl.where(is_pos, to_pos, to_neg) * ranks, mask=inside)

        if program == 0:
            v_pos = tl.sum(tl.load(partial + part * 8 + 2, mask=there, other=0.0)) * to_pos
            v_neg = tl.sum(tl.load(partial + part * 8 + 3, mask=there, other=0.0)) * to_neg
            q_pos = tl.sum(tl.load(partial + part * 8 + 4, mask=there, other=0.0)) * to_pos
            q_neg = tl.sum(tl.load(partial + part * 8 + 5, mask=there, other=0.0)) * to_neg
            f_pos = tl.sum(tl.load(partial + part * 8 + 6, mask=there, other=0.0)) * to_pos
            f_neg = tl.sum(tl.load(partial + part * 8 + 7, mask=there, other=0.0)) * to_neg
            a = tl.load(descent + 0)
            b = tl.load(descent + 1)
            gamma = tl.load(ascent)
            bend = (1 + tl.load(shape + 1)) * gamma
            value = 1 + v_pos + v_neg - bend * gamma
            slope_a = 2 * (a * q_pos - f_pos)
            slope_b = 2 * (b * q_neg - f_neg)
            slope_gamma = 2 * (f_neg - f_pos - bend)
            slope_s_pos = 0.0
            slope_s_neg = 0.0
            slope_theta_a = 0.0
            slope_theta_b = 0.0
            if SELECT_POSITIVES:
                theta_a = tl.load(descent + 4)
                slope_theta_a = a + gamma
                slope_s_pos = n_pos / size_pos - q_pos
                slope_a += theta_a
                slope_gamma += theta_a
                value += theta_a * slope_theta_a + tl.load(descent + 2) * n_pos / size_pos
            if SELECT_NEGATIVES:
                theta_b = tl.load(descent + 5)
                slope_theta_b = 1 + gamma - b
                slope_s_neg = n_neg / size_neg - q_neg
                slope_b -= theta_b
                slope_gamma += theta_b
                value += theta_b * slope_theta_b + tl.load(descent + 3) * n_neg / size_neg
            tl.store(out + 0, slope_a)
            tl.store(out + 1, slope_b)
            tl.store(out + 2, slope_s_pos)
            tl.store(out + 3, slope_s_neg)
            tl.store(out + 4, slope_theta_a)
            tl.store(out + 5, slope_theta_b)
            tl.store(out + 6, -slope_gamma)
            tl.store(out + 7, value)
