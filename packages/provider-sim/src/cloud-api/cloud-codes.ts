/** Those a person may want to see happen; any other number says only itself. */
const known: Record<number, string> = {
  131026: 'Message undeliverable',
  131047: 'Re-engagement message',
  131048: 'Spam rate limit hit',
  131049: 'This message was not delivered to maintain healthy ecosystem engagement.',
  130472: "User's number is part of an experiment",
};

export function describeCode(code: number): { title: string; message: string; error_data: { details: string } } {
  const title = known[code] ?? 'Something went wrong';
  return { title, message: title, error_data: { details: title } };
}
