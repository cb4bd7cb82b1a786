// The parts of a screen, each at an address of its own.
import { Link } from '@tanstack/react-router';

interface TabLinksProps<Tab extends string> {
  readonly label: string;
  /** The first is at the root itself. */
  readonly tabs: readonly Tab[];
  /** The address of the screen; the others are below it. */
  readonly root: string;
  readonly textOf: (tab: Tab) => string;
}

export function TabLinks<Tab extends string>({ label, tabs, root, textOf }: TabLinksProps<Tab>) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab, index) => (
        <Link
          key={tab}
          to={index === 0 ? root : `${root}/${tab}`}
          // What else is in the address, such as what was asked there, does not decide.
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {textOf(tab)}
        </Link>
      ))}
    </nav>
  );
}
