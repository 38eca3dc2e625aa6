import { useQuery } from '@tanstack/react-query';
import { cannedQuery } from './canned-queries.ts';
import type { Draft, Kind } from './compose.ts';
import { isSigned } from './signature.ts';

export interface Signing {
  text: string | null;
  /** Whether it stands below the words when they leave, and why not. */
  state: 'added' | 'left out' | 'written' | 'none';
  leaveOut(): void;
  putBack(): void;
}

type Write = (change: () => Partial<Draft>) => void;

/** One's own signature below an e-mail. What is not shown yet is not added either. */
export function useSignature(kind: Kind, { body, isUnsigned }: Draft, write: Write): Signing {
  const isMail = kind === 'EMAIL';
  const { data } = useQuery({ ...cannedQuery('own'), enabled: isMail });
  const text = (isMail && data?.signature) || null;
  const acts = {
    leaveOut: () => write(() => ({ isUnsigned: true })),
    putBack: () => write(() => ({ isUnsigned: false })),
  };
  if (text === null) return { text, state: 'none', ...acts };
  if (isSigned(body, text)) return { text, state: 'written', ...acts };
  return { text, state: isUnsigned ? 'left out' : 'added', ...acts };
}
