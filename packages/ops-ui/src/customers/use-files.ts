import { useRef, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Attachment } from '../api/types.ts';
import { upload } from '../api/upload.ts';
import type { Draft, Kind } from './compose.ts';
import { keptMs, unfit } from './files.ts';

/** A file on its way, or one that did not get through. */
export interface Uploading {
  key: string;
  kind: Kind;
  file: File;
  /** From 0 to 1. */
  share: number;
  problem: string | null;
  /** Whether trying again may help. */
  mayRepeat: boolean;
}

type WriteDraft = (change: (draft: Draft) => Partial<Draft>, of: Kind) => void;

/** Uploads at once what is added, so that sending waits for nothing; what got through is part of the draft. */
export function useFiles(customerId: string, write: WriteDraft) {
  const [all, setAll] = useState<readonly Uploading[]>([]);
  const stops = useRef(new Map<string, AbortController>());
  const change = (key: string, by: Partial<Uploading>) =>
    setAll((before) => before.map((one) => (one.key === key ? { ...one, ...by } : one)));
  const drop = (key: string) => {
    stops.current.get(key)?.abort();
    setAll((before) => before.filter((one) => one.key !== key));
  };
  const go = async ({ key, kind, file }: Uploading) => {
    const stop = new AbortController();
    stops.current.set(key, stop);
    change(key, { problem: null, share: 0 });
    try {
      const { id, name, size } = await upload<Attachment>({
        path: `/ops/customers/${encodeURIComponent(customerId)}/attachments?name=${encodeURIComponent(nameOf(file))}`,
        file,
        key,
        onProgress: (share) => change(key, { share }),
        signal: stop.signal,
      });
      const kept = { id, name: name ?? file.name, size: size ?? file.size, until: Date.now() + keptMs };
      write(({ files = [] }) => ({ files: [...files, kept] }), kind);
      drop(key);
    } catch (error) {
      const problem = asProblem(error);
      const mayRepeat = problem.status === 0 || problem.status >= 500 || problem.status === 429;
      change(key, { problem: problem.field('name') ?? problem.message, mayRepeat });
    }
  };
  const add = (kind: Kind, files: readonly File[]) => {
    const fresh = files.map((file) => ({
      key: crypto.randomUUID(),
      kind,
      file,
      share: 0,
      problem: unfit(file),
      mayRepeat: false,
    }));
    setAll((before) => [...before, ...fresh]);
    for (const one of fresh) if (one.problem === null) void go(one);
  };
  return { all, add, again: go, drop };
}

/** A picture from the clipboard may have none. */
const nameOf = ({ name, type }: File): string => name || `picture.${type.split('/')[1] ?? 'bin'}`;
