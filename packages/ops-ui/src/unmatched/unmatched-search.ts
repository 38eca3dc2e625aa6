/** Which of them are shown: those of a state, whose sender it fits; or one message alone. */
interface UnmatchedSearch {
  linked?: true;
  dismissed?: true;
  q?: string;
  message?: string;
}

export const unmatchedSearch = ({ linked, dismissed, q, message }: Record<string, unknown>): UnmatchedSearch => ({
  ...(linked === true ? { linked } : dismissed === true && { dismissed }),
  ...(typeof q === 'string' && { q }),
  ...(typeof message === 'string' && { message }),
});
