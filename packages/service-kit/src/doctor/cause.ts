/** Why something could not be reached: the innermost cause that has words, with its code. */
export function causeOf(error: unknown): string {
  const inner = innermost(error);
  const { code, message } = inner as { code?: unknown; message?: string };
  const words = message || String(code ?? inner);
  return typeof code === 'string' && !words.includes(code) ? `${words} (${code})` : words;
}

/** fetch hides what happened behind "fetch failed", and several addresses tried behind one error. */
function innermost(error: unknown): unknown {
  const { cause, errors } = (error ?? {}) as { cause?: unknown; errors?: unknown[] };
  const next = cause ?? errors?.[0];
  return next === undefined ? error : innermost(next);
}
