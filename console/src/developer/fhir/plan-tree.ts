// PostgreSQL's plan of a statement (EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)) as lines that can be read.

export interface PlanLine {
  /** How deep it is: what is deeper feeds what is above it. */
  readonly depth: number;
  /** `Index Scan using … on …`. */
  readonly what: string;
  /** Of one run. */
  readonly rows: number;
  readonly runs: number;
  /** Of all runs, with all that feeds it; in milliseconds. */
  readonly ms: number;
}

export interface ExplainedStatement {
  readonly sql: string;
  readonly values: string;
  readonly ms: number;
  readonly lines: readonly PlanLine[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Actual Total Time'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Explanation {
  readonly Plan: PlanNode;
  readonly 'Execution Time'?: number;
  readonly 'Planning Time'?: number;
}

interface Parameter {
  readonly name: string;
  readonly valueString?: string;
  readonly part?: readonly Parameter[];
}

/** `parameters` is the response to a search with `_explain=true`. */
export function readExplained(parameters: {
  readonly parameter?: readonly Parameter[];
}): readonly ExplainedStatement[] {
  return (parameters.parameter ?? []).flatMap(({ name, part = [] }) => {
    if (name !== 'statement') return [];
    const textOf = (sought: string) => part.find((each) => each.name === sought)?.valueString ?? '';
    const [explained] = JSON.parse(textOf('plan') || '[]') as Explanation[];
    const ms = (explained?.['Execution Time'] ?? 0) + (explained?.['Planning Time'] ?? 0);
    const lines = explained === undefined ? [] : linesOf(explained.Plan, 0);
    return [{ sql: textOf('sql'), values: textOf('values'), ms, lines }];
  });
}

function linesOf(node: PlanNode, depth: number): readonly PlanLine[] {
  const { 'Index Name': index, 'Relation Name': table } = node;
  const runs = node['Actual Loops'] ?? 0;
  const using = index === undefined ? '' : ` using ${index}`;
  const on = table === undefined ? '' : ` on ${table}`;
  const line: PlanLine = {
    depth,
    what: `${node['Node Type']}${using}${on}`,
    rows: node['Actual Rows'] ?? 0,
    runs,
    ms: (node['Actual Total Time'] ?? 0) * runs,
  };
  return [line, ...(node.Plans ?? []).flatMap((each) => linesOf(each, depth + 1))];
}
