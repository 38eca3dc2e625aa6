/** What stands where this one stood among those before: the next that is still there, else the last before it. */
export function neighbourOf(id: string, before: readonly string[], now: readonly string[]): string | undefined {
  const there = new Set(now);
  const at = before.indexOf(id);
  const isThere = (one: string) => there.has(one);
  return before.slice(at + 1).find(isThere) ?? before.slice(0, at).findLast(isThere) ?? now[0];
}
