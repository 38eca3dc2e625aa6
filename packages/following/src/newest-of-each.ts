/** Of several facts about one thing that came together the newest; of two of one version the later. */
export function newestOfEach<Fact extends { version: number }>(
  facts: readonly Fact[],
  thing: (fact: Fact) => string,
): Fact[] {
  const newest = new Map<string, Fact>();
  for (const fact of facts) if (fact.version >= (newest.get(thing(fact))?.version ?? 0)) newest.set(thing(fact), fact);
  return [...newest.values()];
}
