import type { UseQueryResult } from '@tanstack/react-query';
import { asProblem } from '../api/problem.ts';
import type { Template } from '../api/types.ts';
import own from './templates.module.css';

interface TemplatePreviewProps {
  preview: UseQueryResult<{ subject: string | null; body: string }>;
  channel: Template['channel'];
  /** Of a message about how many renewals. */
  about?: 'one' | 'several';
}

const headings = { one: 'What a customer would read', several: 'What one with three renewals would read' };

/** What a made-up customer would read. */
export function TemplatePreview({ preview: { data, error }, channel, about = 'one' }: TemplatePreviewProps) {
  return (
    <section aria-labelledby={`preview-${about}`} aria-live="polite">
      <h3 id={`preview-${about}`} className={own.heading}>
        {headings[about]}
      </h3>
      {error && <p className={own.waiting}>{waitingFor(asProblem(error).status)}</p>}
      {data && !error && (
        <div className={own.preview} data-channel={channel}>
          {data.subject && <p className={own.subject}>{data.subject}</p>}
          <p>{data.body}</p>
        </div>
      )}
      {!data && !error && <p className={own.waiting}>Nothing yet.</p>}
    </section>
  );
}

const waitingFor = (status: number): string =>
  status === 422 ? 'To be seen once what is marked above is put right.' : 'Cannot be shown at the moment.';
