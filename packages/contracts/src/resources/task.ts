import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, instant, plainDate, recordId, subject, text } from '../text.ts';
import { rung } from './renewal.ts';
import { searchText } from './search.ts';
import { taskPriority } from './task-priority.ts';

export const taskStatus = z.enum(['OPEN', 'DONE', 'CANCELLED']);
export type TaskStatus = z.infer<typeof taskStatus>;

export const task = z
  .object({
    id: recordId,
    customer_id: customerId,
    renewal_id: recordId.nullable(),
    communication_id: recordId.nullable().meta({ description: 'The note in which its agent is mentioned' }),
    title: z.string(),
    notes: z.string().nullable(),
    priority: taskPriority,
    status: taskStatus,
    due_date: plainDate.nullable(),
    rung: rung.nullable().meta({ description: 'The most urgent alert it stands for; null when a person made it' }),
    assigned_agent: z.string().nullable().meta({
      description: 'Whom a person gave it to; of an alert’s task, if nobody did, the agent it went to by itself',
    }),
    responsible_agent: z
      .string()
      .nullable()
      .meta({
        description:
          'Who deals with it today: whom it was given to, else the renewal’s agent, else the customer’s; while that one is ' +
          'absent their deputy; of one that is closed whoever it was left with. null: nobody',
      }),
    created_by: z.string().nullable(),
    closed_because: z.string().nullable(),
    version: z.int().min(1),
    created_at: instant,
    updated_at: instant,
    closed_at: instant.nullable(),
  })
  .meta({ id: 'Task' });
export type Task = z.infer<typeof task>;

export const createTask = z
  .strictObject({
    customer_id: customerId,
    renewal_id: recordId.nullish(),
    title: text(1, 200),
    notes: text(0, 10_000).nullish(),
    priority: taskPriority.default('NORMAL'),
    due_date: plainDate.nullish(),
    assigned_agent: subject.nullish(),
  })
  .meta({ id: 'CreateTask' });
export type CreateTask = z.infer<typeof createTask>;

export const patchTask = z
  .strictObject({
    title: text(1, 200).optional(),
    notes: text(0, 10_000).nullable().optional(),
    priority: taskPriority.optional(),
    status: taskStatus.optional(),
    due_date: plainDate.nullable().optional(),
    assigned_agent: subject.nullable().optional(),
  })
  .meta({ id: 'PatchTask' });
export type PatchTask = z.infer<typeof patchTask>;

const taskIds = z.array(recordId).min(1).max(200);

export const assignTasks = z
  .strictObject({ task_ids: taskIds, assigned_agent: subject.nullable() })
  .meta({ id: 'AssignTasks' });
export type AssignTasks = z.infer<typeof assignTasks>;

export const dateTasks = z
  .strictObject({ task_ids: taskIds, due_date: plainDate.nullable() })
  .meta({ id: 'DateTasks' });
export type DateTasks = z.infer<typeof dateTasks>;

export const taskOutcomes = z
  .object({
    data: z.array(
      z.object({ task_id: recordId, outcome: z.enum(['assigned', 'changed', 'unchanged', 'not_found', 'closed']) }),
    ),
  })
  .meta({ id: 'TaskOutcomes' });
export type TaskOutcomes = z.infer<typeof taskOutcomes>;

export const taskPage = pageOf(task).meta({ id: 'TaskPage' });
export const taskQuery = z.strictObject({
  status: taskStatus.optional(),
  priority: taskPriority.optional(),
  assigned_agent: text(0, 200).optional().meta({ description: 'Who is responsible; empty: nobody is' }),
  customer_id: customerId.optional(),
  renewal_id: recordId.optional(),
  due_to: plainDate.optional().meta({ description: 'Due by then; those without a date are not' }),
  q: searchText.optional().meta({ description: 'Words of title and notes, all of them' }),
  ...pageQuery,
});
export type TaskQuery = z.infer<typeof taskQuery>;

export const agent = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    absent_until: plainDate.nullable().meta({ description: 'The last day of absence' }),
    deputy: z
      .string()
      .nullable()
      .meta({ description: 'Who deals with all that is open of theirs while they are absent' }),
    version: z.int().min(1),
    updated_at: instant,
  })
  .meta({ id: 'Agent' });
export type Agent = z.infer<typeof agent>;
export const agentList = z.object({ data: z.array(agent) }).meta({ id: 'AgentList' });

export const putAgent = z
  .strictObject({
    name: text(1, 200),
    email: text(3, 320).nullish(),
    absent_until: plainDate.nullish(),
    deputy: subject.nullish(),
  })
  .meta({ id: 'PutAgent' });
export type PutAgent = z.infer<typeof putAgent>;
