import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Renewal, Task } from '../api/types.ts';
import { CustomerLink } from '../customers/customer-link.tsx';
import { ActButton } from '../parts/act-button.tsx';
import { dayOf } from '../parts/dates.tsx';
import { useRenewalChanges } from '../renewals/renewal-changes.ts';
import { renewalQuery } from '../renewals/renewal-queries.ts';
import { isOpen } from '../renewals/renewal-words.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import { RenewalLink } from './renewal-link.tsx';
import { taskQuery } from './task-queries.ts';
import classes from './tasks.module.css';

interface RenewalDoneTooProps {
  /** As it was when somebody did it, a moment ago. */
  task: Task;
  answered(): void;
}

/**
 * Doing a task leaves its renewal open, and with the task went what reminded of it: so somebody is asked whether it is done
 * too. Nobody has to answer, and the question is over once the task is opened again or the renewal closed.
 */
export function RenewalDoneToo({ task: { id, renewal_id, version }, answered }: RenewalDoneTooProps) {
  const { data: task } = useQuery(taskQuery(id));
  const { data: renewal } = useQuery({ ...renewalQuery(renewal_id ?? ''), enabled: renewal_id !== null });
  // An answer that was on its way when it was done still has it open.
  const isOpenAgain = task && task.status !== 'DONE' && task.version > version;
  const isOver = isOpenAgain || (renewal && !isOpen(renewal));
  useEffect(() => {
    if (isOver) answered();
  }, [isOver, answered]);
  if (!task || !renewal || isOver) return null;
  return <Question taskId={id} renewal={renewal} answered={answered} />;
}

interface QuestionProps {
  taskId: string;
  renewal: Renewal;
  answered(): void;
}

function Question({ taskId, renewal, answered }: QuestionProps) {
  const { complete } = useRenewalChanges();
  const nameOf = useServiceNames();
  const question = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isFree(document.activeElement, taskId)) question.current?.focus({ preventScroll: true });
    return () => {
      if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
    };
  }, [taskId]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    answered();
  };
  return (
    <section
      ref={question}
      className={classes.question}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      aria-labelledby={`done-too-${taskId}`}
    >
      <div id={`done-too-${taskId}`}>
        <strong>Is the renewal done too?</strong>{' '}
        <RenewalLink id={renewal.id}>{nameOf(renewal.service_type)}</RenewalLink> of{' '}
        <CustomerLink id={renewal.customer_id} />, due {dayOf(renewal.due_date)}
      </div>
      <Group gap="sm">
        <ActButton size="compact-sm" isPending={complete.isPending} act={() => complete.mutate({ seen: renewal })}>
          Complete
        </ActButton>
        <Button size="compact-sm" variant="default" onClick={answered}>
          Not yet
        </Button>
      </Group>
    </section>
  );
}

/** Nobody is in the middle of something else: what had the focus is gone, or goes with the task that was done. */
const isFree = (active: Element | null, taskId: string): boolean =>
  active === null ||
  active === document.body ||
  active.id === 'content' ||
  active.closest(`[data-task="${CSS.escape(taskId)}"]`) !== null;
