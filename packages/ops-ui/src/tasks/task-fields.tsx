import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ProblemError } from '../api/problem.ts';
import { type Priority, priorities, type TaskFields } from './task.ts';
import classes from './tasks.module.css';

/** What these say themselves of a refusal. */
export const taskFields = ['title', 'notes', 'priority', 'due_date'];

interface TaskFieldsViewProps {
  fields: TaskFields;
  write(change: Partial<TaskFields>): void;
  /** What the service would not take. */
  problem: ProblemError | null;
  titleError?: string | undefined;
}

/** What a person writes of a task. */
export function TaskFieldsView({ fields, write, problem, titleError }: TaskFieldsViewProps) {
  return (
    <>
      <TextInput
        label="What is to be done"
        value={fields.title}
        onChange={({ currentTarget }) => write({ title: currentTarget.value })}
        error={titleError ?? problem?.field('title')}
        maxLength={200}
      />
      <Textarea
        label="Notes"
        value={fields.notes}
        onChange={({ currentTarget }) => write({ notes: currentTarget.value })}
        error={problem?.field('notes')}
        maxLength={10_000}
        autosize
        minRows={3}
        maxRows={12}
      />
      <div className={classes.pair}>
        <NativeSelect
          label="Priority"
          value={fields.priority}
          onChange={({ currentTarget }) => write({ priority: currentTarget.value as Priority })}
          data={[...priorities]}
          error={problem?.field('priority')}
        />
        <TextInput
          label="Due"
          type="date"
          value={fields.due_date}
          onChange={({ currentTarget }) => write({ due_date: currentTarget.value })}
          error={problem?.field('due_date')}
        />
      </div>
    </>
  );
}
