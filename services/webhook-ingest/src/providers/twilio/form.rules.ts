/** Far more fields than any callback has; reading and sorting a million of them would cost seconds. */
const mostFields = 1_000;

/**
 * A form as it was posted, repeated names included; undefined when it has too many fields to be one of Twilio's. Plus signs
 * are written as spaces first: the runtime takes time by the square of their number, and nothing is proven yet.
 */
export function readForm(body: Buffer): URLSearchParams | undefined {
  const text = body.toString('utf8');
  return countOf(text, '&') < mostFields ? new URLSearchParams(text.split('+').join('%20')) : undefined;
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}
