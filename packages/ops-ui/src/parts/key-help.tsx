import { Kbd } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Drawer } from './drawer.tsx';
import classes from './key-help.module.css';

export type Keys = readonly (readonly [key: string, does: string])[];

const everywhere: Keys = [
  ['u', 'undo what was just done'],
  ['Escape', 'close what is open'],
  ['/', 'search'],
  ['?', 'this list'],
];

/** Which keys do what on this page, its own first; by `?`. */
export function KeyHelp({ own }: { own: Keys }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useHotkeys([['shift+?', toggle]], undefined, false);
  if (!isOpen) return null;
  return (
    <div className={classes.over}>
      <Drawer title="Keys" label="Keys" close={close}>
        <dl className={classes.keys}>
          {[...own, ...everywhere].map(([key, does]) => (
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
