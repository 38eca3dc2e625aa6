/** The line by which mail programs know where a signature begins. */
const mark = '-- ';

/** Whoever wrote these words has signed them. */
export const isSigned = (words: string, signature: string): boolean =>
  /^-- ?$/m.test(words) || words.trimEnd().endsWith(signature.trim());

/** The words as they leave and as the log has them; null: nothing is to stand below them. */
export const signed = (words: string, signature: string | null | undefined): string =>
  signature && !isSigned(words, signature) ? `${words.trimEnd()}\n\n${mark}\n${signature}` : words;

/** What somebody said, and what stands below each of their e-mails. */
export function unsigned(words: string): { words: string; signature: string | null } {
  const at = words.lastIndexOf(`\n${mark}\n`);
  if (at <= 0) return { words, signature: null };
  return { words: words.slice(0, at).trimEnd(), signature: words.slice(at + mark.length + 2) };
}
