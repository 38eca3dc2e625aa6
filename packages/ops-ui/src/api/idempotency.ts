/** What was asked for, and the key it was asked for with. */
export interface Asked {
  text: string;
  key: string;
}

/** Asking for the same again carries the same key, so that it is done once. */
export function askedAgain(last: Asked | null, asked: unknown): Asked {
  const text = JSON.stringify(asked);
  return last?.text === text ? last : { text, key: crypto.randomUUID() };
}
