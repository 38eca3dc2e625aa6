import type { Dashboard, DataSourceRef, FieldConfigSource, Panel } from '@grafana/schema';
import type { Options as Stat } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type * as state from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
import type * as table from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import type { Options as Text } from '@grafana/schema/dist/esm/raw/composable/text/panelcfg/x/TextPanelCfg_types.gen';
import type * as series from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

/** As a file has it: words in place of Grafana's enumerations, and what is usual left out. */
type AsWritten<T> = T extends string
  ? `${T}`
  : T extends (infer Item)[]
    ? AsWritten<Item>[]
    : T extends object
      ? { [Field in keyof T]?: AsWritten<T[Field]> }
      : T;

interface Query {
  refId: string;
  datasource: DataSourceRef;
  expr: string;
  legendFormat?: string;
  instant?: boolean;
  format?: 'table' | 'time_series';
}

interface OfKind<Options, Field> extends Omit<Panel, 'options' | 'fieldConfig' | 'targets'> {
  options: Options;
  fieldConfig: FieldConfigSource<Field>;
  targets: Query[];
}

export interface Panels {
  stat: AsWritten<OfKind<Stat, object>>;
  table: AsWritten<OfKind<table.Options, table.FieldConfig>>;
  text: AsWritten<OfKind<Text, object>>;
  timeseries: AsWritten<OfKind<series.Options, series.FieldConfig>>;
  'state-timeline': AsWritten<OfKind<state.Options, state.FieldConfig>>;
}

export type Board = AsWritten<Omit<Dashboard, 'panels'>>;
