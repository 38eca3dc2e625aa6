import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { CsvImport } from '../api/types.ts';
import type { ImportKind } from './columns.ts';
import type { Shown } from './import-words.ts';

export type SeedAlerts = 'silent' | 'urgent-only';

const pageSize = 100;
const lookAgainMs = 700;

export const goesOn = ({ status }: CsvImport): boolean => status === 'CHECKING' || status === 'RUNNING';

export const importQuery = (kind: ImportKind, id: string) =>
  queryOptions({
    queryKey: ['imports', kind, id],
    queryFn: ({ signal }): Promise<CsvImport> =>
      dataOf(api.GET(`/ops/imports/${kind}/{id}`, { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && goesOn(data) ? lookAgainMs : false),
  });

/** They are others when the file was taken in than when it was looked through. */
export const importRowsQuery = (kind: ImportKind, { id, status }: CsvImport, shown: Shown) =>
  inPages(['imports', kind, id, 'rows', status, shown], ({ cursor, signal }) =>
    dataOf(
      api.GET(`/ops/imports/${kind}/{id}/rows`, {
        params: { path: { id }, query: { limit: pageSize, ...(shown !== 'all' && { outcome: shown }), ...cursor } },
        signal,
      }),
    ),
  );

interface Sending {
  file: File;
  key: string;
  seedAlerts: SeedAlerts;
}

/** Looked through only. It goes as it is: read as text here, letters in another encoding would be lost unseen. */
export function sendFile(kind: ImportKind, { file, key, seedAlerts }: Sending): Promise<CsvImport> {
  const how = {
    header: { 'Idempotency-Key': key },
    query: { name: file.name, dry_run: 'true' as const, ...(kind === 'renewals' && { seed_alerts: seedAlerts }) },
  };
  return dataOf(
    api.POST(`/ops/imports/${kind}`, {
      params: how,
      headers: { 'Content-Type': 'text/csv' },
      body: '',
      bodySerializer: () => file,
    }),
  );
}

export const takeIn = (kind: ImportKind, id: string, key: string): Promise<CsvImport> =>
  dataOf(
    api.POST(`/ops/imports/${kind}/{id}/apply`, {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
    }),
  );

export const rowsFileAddress = (kind: ImportKind, id: string): string => `/ops/imports/${kind}/${id}/rows.csv`;
