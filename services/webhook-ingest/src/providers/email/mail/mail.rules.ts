/** A mail as it was written, however it was brought. Addresses and ids are still as its writer chose them. */
export interface Mail {
  /** Names in lower case, in their order; values unfolded, not yet decoded. */
  headers: MailHeader[];
  subject: string | null;
  text: string | null;
  html: string | null;
  files: MailFile[];
}

export interface MailHeader {
  key: string;
  value: string;
}

export interface MailFile {
  name: string | null;
  mediaType: string;
  contentId: string | null;
  bytes: Uint8Array;
}

/** What the server that took the mail says of it, where it says so. */
export interface Envelope {
  recipients: string[];
  /** Empty if the mail must not be answered; null if unknown. */
  sender: string | null;
  /** What stood behind a plus sign of the address, which servers may cut off. */
  hash?: string | undefined;
}

export const allValues = ({ headers }: Pick<Mail, 'headers'>, key: string): string[] =>
  headers.filter((header) => header.key === key && header.value !== '').map((header) => header.value);

export const firstValue = (mail: Pick<Mail, 'headers'>, key: string): string | undefined => allValues(mail, key)[0];
