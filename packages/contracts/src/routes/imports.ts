import { z } from 'zod';
import * as csv from '../resources/import.ts';
import { daily, none, ofRecord, type RouteSpec, route, type ServiceName, uploadRoute } from '../route-spec.ts';
import { historyRoute } from './histories.ts';

interface Imported<Query extends z.ZodType> {
  owner: ServiceName;
  what: string;
  query: Query;
  /** How a row of the file reads. */
  row: z.ZodObject;
}

/** What is taken in from files has these routes, whatever it is. */
export function importRoutes<Query extends z.ZodType>({ owner, what, query, row }: Imported<Query>) {
  const path = `/ops/imports/${what}` as const;
  const common = { owner, roles: [...daily, 'automation'], part: 'imports' } satisfies Partial<RouteSpec>;
  return {
    begin: uploadRoute({
      ...common,
      method: 'POST',
      path,
      params: none,
      query,
      summary: `Look through a CSV file of ${what}, and take it in with \`dry_run=false\``,
      upload: { mostBytes: csv.mostImportBytes, row },
      success: { 202: csv.csvImport },
    }),
    get: route({
      ...common,
      method: 'GET',
      path: `${path}/:id`,
      params: ofRecord,
      query: none,
      isFollowed: true,
      summary: 'Progress and outcome of an import',
      success: { 200: csv.csvImport },
    }),
    apply: route({
      ...common,
      method: 'POST',
      path: `${path}/:id/apply`,
      params: ofRecord,
      query: none,
      summary: 'Take in the good rows of a file that was looked through',
      success: { 202: csv.csvImport },
    }),
    rows: route({
      ...common,
      method: 'GET',
      path: `${path}/:id/rows`,
      params: ofRecord,
      query: csv.importRowsQuery,
      summary: 'What became of each row, in the order of the file',
      success: { 200: csv.importRowPage },
    }),
    file: route({
      ...common,
      method: 'GET',
      path: `${path}/:id/rows.csv`,
      params: ofRecord,
      query: none,
      summary: 'What became of each row, as a CSV file that can be corrected and sent again',
      success: { 200: z.string() },
      mediaType: 'text/csv',
    }),
    history: historyRoute({
      ...common,
      path: `${path}/:id`,
      params: ofRecord,
      what: `an import of ${what}: who sent the file, had it taken in, and took its rows along`,
    }),
  };
}
