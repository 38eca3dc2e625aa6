/** The text itself as part of a LIKE pattern: `%` and `_` lose their meaning. */
export const literally = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
