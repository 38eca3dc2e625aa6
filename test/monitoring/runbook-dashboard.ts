import { writeFile } from 'node:fs/promises';
import { dashboards, file, text } from './files.ts';

/**
 * docs/runbook.md as a dashboard, so that somebody who was woken reads what to do one click from where it shows. Run by
 * itself it writes the file again.
 */
export async function runbookDashboard(): Promise<string> {
  const [, ...sections] = (await text('docs/runbook.md')).split(/^## /m);
  const names = sections.map((section) => section.slice(0, section.indexOf('\n')));
  const panels = sections.map((section, index) => ({
    id: index + 1,
    type: 'text',
    title: names[index],
    gridPos: { x: (index % 2) * 12, y: Math.floor(index / 2) * 10, w: 12, h: 10 },
    options: { mode: 'markdown', content: linked(section.slice(section.indexOf('\n')).trim(), names) },
  }));
  return `${JSON.stringify({ ...head, panels }, null, 2)}\n`;
}

const head = {
  uid: 'ops-runbook',
  title: 'Runbook',
  description: 'What each alert means and what to do: docs/runbook.md',
  tags: ['ops'],
  schemaVersion: 41,
  editable: false,
  links: [{ type: 'dashboards', title: 'Dashboards', tags: ['ops'], asDropdown: false, keepTime: true }],
  templating: { list: [] },
  annotations: { list: [] },
};

const linked = (markdown: string, names: readonly string[]) =>
  markdown.replaceAll(/\(#(\w+)\)/g, (_, anchor: string) => {
    const index = names.findIndex((name) => name.toLowerCase() === anchor);
    return `(/d/ops-runbook?viewPanel=panel-${index + 1})`;
  });

if (import.meta.filename === process.argv[1])
  await writeFile(file(`${dashboards}/runbook.json`), await runbookDashboard());
