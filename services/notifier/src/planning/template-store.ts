import type { PutTemplate, Template } from '@ops/contracts/resources/alert-plan';
import type { Db, Trx } from '@ops/service-kit/database';

export type TemplateKey = Pick<Template, 'rung' | 'channel' | 'locale'>;

/** There are a few for each rung and language. */
export async function allTemplates(db: Db | Trx): Promise<Template[]> {
  const { rows } = await db.raw(
    `SELECT rung, channel, locale, subject, body, version, updated_at, updated_by FROM templates
     ORDER BY array_position(ARRAY['90', '60', '30', '14', '7', 'OVERDUE'], rung), channel, locale`,
  );
  return rows.map(toTemplate);
}

type Row = Omit<Template, 'updated_at'> & { updated_at: Date };

const toTemplate = (row: Row): Template => ({ ...row, updated_at: row.updated_at.toISOString() });

export async function lockTemplate(trx: Trx, key: TemplateKey): Promise<Template | undefined> {
  const row = await trx('templates').where(key).forUpdate().first();
  return row && toTemplate(row);
}

/** Undefined when a twin wrote it first. */
export async function insertTemplate(
  trx: Trx,
  key: TemplateKey,
  { subject, body }: PutTemplate,
  updated_by: string,
  updated_at: Date,
): Promise<Template | undefined> {
  const row = { ...key, subject, body, updated_by, updated_at };
  const [inserted] = await trx('templates')
    .insert(row)
    .onConflict(['rung', 'channel', 'locale'])
    .ignore()
    .returning('*');
  return inserted && toTemplate(inserted);
}

export async function updateTemplate(
  trx: Trx,
  key: TemplateKey,
  { subject, body }: PutTemplate,
  updated_by: string,
  updated_at: Date,
): Promise<Template> {
  const changed = { subject, body, updated_by, updated_at, version: trx.raw('version + 1') };
  const [row] = await trx('templates').where(key).update(changed).returning('*');
  return toTemplate(row);
}
