const steps = new Map<string, number>();

/** One changed it oneself: whoever still goes by the version before has seen the one after. */
export function rememberOwn(id: string, before: number, after: number): void {
  if (after > before) steps.set(`${id} ${before}`, after);
}

/** The newest version that a version became by one's own changes alone. */
export function afterOwn(id: string, version: number): number {
  const next = steps.get(`${id} ${version}`);
  return next === undefined ? version : afterOwn(id, next);
}
