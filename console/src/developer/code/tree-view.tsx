// A resource as a tree of its elements, as they are written. References to what is here lead there.
import { Link } from '@tanstack/react-router';
import { resourcePath, type ServiceName, targetOf } from '../fhir/services.ts';
import './code.css';
import type { JsonNode } from './json-tree.ts';

interface TreeViewProps {
  readonly service: ServiceName;
  readonly node: JsonNode;
  /** The name of the element. */
  readonly name?: string;
}

const IMAGE_OR_FILE = 'data';
const MOST_CHARACTERS = 2000;

export function TreeView({ service, node, name }: TreeViewProps) {
  switch (node.kind) {
    case 'literal':
      return node.text;
    case 'string':
      return <Text service={service} text={node.text} name={name} />;
    case 'array':
      return (
        <ol className="tree-items">
          {node.items.map((item) => (
            <li key={item.start}>
              <TreeView service={service} node={item} {...(name === undefined ? {} : { name })} />
            </li>
          ))}
        </ol>
      );
    case 'object':
      return (
        <dl className="tree">
          {[...node.members].map(([member, { value }]) => (
            <div key={member} className={isScalar(value) ? 'scalar' : undefined}>
              <dt>{member}</dt>
              <dd>
                <TreeView service={service} node={value} name={member} />
              </dd>
            </div>
          ))}
        </dl>
      );
    default:
      return node satisfies never;
  }
}

function isScalar({ kind }: JsonNode): boolean {
  return kind === 'string' || kind === 'literal';
}

interface TextProps {
  readonly service: ServiceName;
  readonly text: string;
  readonly name: string | undefined;
}

function Text({ service, text, name }: TextProps) {
  const target = name === 'reference' ? targetOf(service, text) : undefined;
  if (target !== undefined) return <Link to={resourcePath(service, target.type, target.id)}>{text}</Link>;
  const isLong = text.length > MOST_CHARACTERS || (name === IMAGE_OR_FILE && text.length > 200);
  return isLong ? `${text.slice(0, 200)}…` : text;
}
