import type { DraftFile, Kind } from './compose.ts';

/** What one message takes, in files and words beside them. */
export const mostBytes = 20 * 1024 * 1024;
const mostFiles = 10;
const longestCaption = 1_024;

/** An hour less than the service keeps it. */
export const keptMs = 7 * 86_400_000 - 3_600_000;

/** Why no file goes along that way; null where one may. */
export function fileObstacle(kind: Kind, isWindowClosed: boolean): string | null {
  if (kind === 'SMS') return 'An SMS takes no files. Send an e-mail, or write in the messaging app.';
  if (kind === 'INTERNAL_NOTE') return 'A note takes no files.';
  if (kind === 'CALL_LOG') return 'A call takes no files.';
  if (kind === 'MESSAGING_APP' && isWindowClosed)
    return 'A template takes no file: the customer did not write within 24 hours. Send it by e-mail.';
  return null;
}

/** Why this file cannot be uploaded at all. */
export function unfit({ size }: { size: number }): string | null {
  if (size === 0) return 'is empty';
  return size > mostBytes ? `is larger than ${mostBytes / 1024 / 1024} MB, the most that a message takes` : null;
}

/** Why these files do not go with these words; null when they do. */
export function filesProblem(
  kind: Kind,
  files: readonly DraftFile[],
  { body, isWindowClosed, now }: { body: string; isWindowClosed: boolean; now: number },
): string | null {
  if (files.length === 0) return null;
  const gone = files.find(({ until }) => until <= now);
  if (gone) return `${gone.name} is not kept any more: remove it and add it again.`;
  const obstacle = fileObstacle(kind, isWindowClosed);
  if (obstacle !== null) return obstacle;
  if (kind === 'MESSAGING_APP') return inTheApp(files, body);
  if (files.length > mostFiles) return `An e-mail takes ${mostFiles} files at most.`;
  const total = files.reduce((sum, { size }) => sum + size, 0);
  return total > mostBytes
    ? `Together they are larger than ${mostBytes / 1024 / 1024} MB, the most an e-mail takes.`
    : null;
}

function inTheApp(files: readonly DraftFile[], body: string): string | null {
  if (files.length > 1) return 'The messaging app takes one file with a message.';
  return body.length > longestCaption
    ? `Beside a file the messaging app takes ${longestCaption.toLocaleString()} characters at most.`
    : null;
}
