import { Checkbox, NativeSelect } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { channelNames } from '../parts/channels.tsx';
import { RungName } from '../renewals/rung-name.tsx';
import { type Rung, rungInWords, rungs } from '../renewals/rung-names.ts';
import { priorities } from '../tasks/task.ts';
import classes from './alert-plan.module.css';
import { type Plan, type Step, toggled } from './alert-plan.ts';
import { channels } from './template-names.ts';

const noTask = 'No task';
const taskOptions = [{ value: '', label: noTask }, ...priorities];

interface AlertStepsProps {
  steps: Plan['steps'];
  disabled: boolean;
  write(steps: Plan['steps']): void;
}

export function AlertSteps({ steps, disabled, write }: AlertStepsProps) {
  const change = (rung: Rung, by: Partial<Step>) => write({ ...steps, [rung]: { ...steps[rung], ...by } });
  return (
    <table className={classes.steps}>
      <caption>At each rung</caption>
      <thead>
        <tr>
          <th scope="col">Rung</th>
          {channels.map((channel) => (
            <th key={channel} scope="col">
              {channelNames[channel]}
            </th>
          ))}
          <th scope="col">Task</th>
        </tr>
      </thead>
      <tbody>
        {rungs.map((rung) => (
          <tr key={rung}>
            <th scope="row">
              <RungName rung={rung} />
            </th>
            {channels.map((channel) => (
              <td key={channel} data-label={channelNames[channel]}>
                {disabled ? (
                  <Used isUsed={steps[rung].channels.includes(channel)} />
                ) : (
                  <Checkbox
                    checked={steps[rung].channels.includes(channel)}
                    onChange={() => change(rung, { channels: toggled(steps[rung].channels, channel) })}
                    aria-label={`${channelNames[channel]} at ${rungInWords(rung)}`}
                  />
                )}
              </td>
            ))}
            <td data-label="Task">
              {disabled ? (
                (steps[rung].task ?? noTask)
              ) : (
                <NativeSelect
                  size="xs"
                  value={steps[rung].task ?? ''}
                  onChange={({ currentTarget }) =>
                    change(rung, { task: (currentTarget.value || null) as Step['task'] })
                  }
                  data={taskOptions}
                  aria-label={`Task at ${rungInWords(rung)}`}
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Used = ({ isUsed }: { isUsed: boolean }) =>
  isUsed ? <IconCheck size={16} role="img" aria-label="Yes" /> : <span className={classes.none}>No</span>;
