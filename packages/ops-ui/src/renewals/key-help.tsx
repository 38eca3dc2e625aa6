import { Kbd } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Drawer } from '../parts/drawer.tsx';
import classes from './key-help.module.css';

const keys = [
  ['j', 'the next one'],
  ['k', 'the one before'],
  ['Enter', 'open it'],
  ['x', 'select it'],
  ['a', 'give it, or what is selected, to an agent'],
  ['e', 'complete it'],
  ['u', 'undo what was just done'],
  ['Escape', 'close what is open'],
  ['/', 'search'],
  ['?', 'this list'],
] as const;

/** Which keys do what; by `?`. */
export function KeyHelp() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useHotkeys([['shift+?', toggle]], undefined, false);
  if (!isOpen) return null;
  return (
    <div className={classes.over}>
      <Drawer title="Keys" label="Keys" close={close}>
        <dl className={classes.keys}>
          {keys.map(([key, does]) => (
            <div key={key}>
              <dt>
                <Kbd>{key}</Kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Drawer>
    </div>
  );
}
