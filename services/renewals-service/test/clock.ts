/** A millisecond later each time it is asked: no two things happen at one instant. */
export function tickingClock(from: string): () => Date {
  let at = Date.parse(from);
  return () => new Date(at++);
}
