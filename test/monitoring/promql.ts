import { parser } from '@prometheus-io/lezer-promql';

/** What an expression asks for: a metric, with the labels it is chosen or grouped by. */
export interface Asked {
  metric: string;
  labels: string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Throws when Prometheus could not read it either. */
export function askedBy(expression: string): Asked[] {
  const { topNode } = parser.parse(expression);
  topNode.cursor().iterate(({ type, from }) => {
    if (type.isError) throw new Error(`not PromQL from "${expression.slice(from)}" on: ${expression}`);
  });
  const text = ({ from, to }: Node) => expression.slice(from, to);
  const labelsIn = (node: Node | null) => (node ? within(node, 'LabelName').map(text) : []);
  return within(topNode, 'VectorSelector').map((selector) => ({
    metric: within(selector, 'Identifier').map(text).join(),
    labels: [...labelsIn(selector), ...above(selector).flatMap((node) => labelsIn(node.getChild('AggregateModifier')))],
  }));
}

function within(node: Node, name: string): Node[] {
  const found: Node[] = [];
  node.cursor().iterate((inner) => {
    if (inner.name === name) found.push(inner.node);
  });
  return found;
}

function above(node: Node): Node[] {
  return node.parent ? [node.parent, ...above(node.parent)] : [];
}
