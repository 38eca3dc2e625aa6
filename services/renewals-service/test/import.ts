import { expect } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { CsvImport, ImportRow } from '@ops/contracts/resources/import';
import type { Actor } from '@ops/contracts/roles';
import { eventually } from '@ops/test-kit/eventually';
import { staff, type TestService } from './service.ts';

export const path = '/ops/imports/renewals';

/** How staff bring files in. */
export const importing = (service: TestService) => {
  const send = <T = CsvImport>(file: string | Buffer, query = '', actor: Actor = staff, headers = {}) =>
    service.post<T>(actor, `${path}${query}`, Buffer.from(file), { 'Content-Type': 'text/csv', ...headers });
  const get = async (id: string) => (await service.get<CsvImport>(staff, `${path}/${id}`)).body;
  /** When nothing more happens to it by itself. */
  const settled = (id: string): Promise<CsvImport> =>
    eventually(async () => {
      const now = await get(id);
      expect(['CHECKED', 'COMPLETED', 'FAILED']).toContain(now.status);
      return now;
    });
  const rows = async (id: string, query = ''): Promise<ImportRow[]> =>
    (await service.get<Page<ImportRow>>(staff, `${path}/${id}/rows${query}`)).body.data;
  return {
    send,
    get,
    settled,
    rows,
    apply: <T = CsvImport>(id: string) => service.post<T>(staff, `${path}/${id}/apply`),
    file: async (id: string) => (await service.get<string>(staff, `${path}/${id}/rows.csv`)).body,
    /** What a dry run says of the file. */
    look: async (file: string | Buffer, query = '') => {
      const begun = await send(file, query);
      if (begun.status !== 202) throw new Error(`sending answered ${begun.status}`);
      const looked = await settled(begun.body.id);
      return { ...looked, rows: await rows(looked.id, '?limit=200') };
    },
    /** Taken in at once. */
    take: async (file: string | Buffer, query = '') => {
      const begun = await send(file, `?dry_run=false${query}`);
      const taken = await settled(begun.body.id);
      return { ...taken, rows: await rows(taken.id, '?limit=200') };
    },
  };
};

export const csv = (...lines: string[]) => `${lines.join('\n')}\n`;
