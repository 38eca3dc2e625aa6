import { createContext } from 'react';
import type { Attachment } from '../api/types.ts';

/** Shows a document beside the log it stands in; null where there is no place for that. */
export const ShowFile = createContext<((file: Attachment) => void) | null>(null);
