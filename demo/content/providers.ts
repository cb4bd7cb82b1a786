// The six caregivers, how each is reached, who works there, and the activities that their contracts cover.
import type { ProfessionalKey } from './people.ts';

export interface DemoProvider {
  readonly name: string;
  readonly region: string;
  /**
   * `hosted`: works in the engine's inbox. `outside`: its own system, which runs beside the demo. `dead`: its system
   * never responds. `feed`: reads the provider feed.
   */
  readonly reach: 'hosted' | 'outside' | 'dead' | 'feed';
  /** Who performs its tasks; of a hosted provider alone. */
  readonly staff?: ProfessionalKey;
  /** The concepts of the activities that its contract covers. */
  readonly covers: readonly string[];
}

const HEART = ['act-heart-home', 'act-heart-laboratory', 'act-heart-visit'];
const DIABETES = ['act-glucose', 'act-diabetes-laboratory', 'act-foot', 'act-habits'];
const COPD = ['act-spirometry', 'act-copd-home', 'act-habits'];
const WOUND = ['act-wound'];

export const PROVIDERS = {
  home: {
    name: 'Hemsjukvården Älvstranden',
    region: 'norr',
    reach: 'hosted',
    staff: 'sofia',
    covers: [...HEART, ...WOUND],
  },
  lungs: {
    name: 'Hjärt- och lungmottagningen Norrvik',
    region: 'norr',
    reach: 'hosted',
    staff: 'maria',
    covers: [...HEART, ...COPD],
  },
  nurses: {
    name: 'Distriktssköterskorna i Björkliden AB',
    region: 'norr',
    reach: 'outside',
    covers: [...new Set([...DIABETES, ...COPD, ...WOUND])],
  },
  feet: {
    name: 'Fotvård & Sårklinik Fjällbyn',
    region: 'norr',
    reach: 'dead',
    covers: [...DIABETES, ...WOUND],
  },
  rehab: { name: 'Rehab Granliden', region: 'norr', reach: 'feed', covers: [...COPD] },
  laboratory: {
    name: 'Laboratoriet Lärkan',
    region: 'norr',
    reach: 'feed',
    covers: [...HEART, ...DIABETES],
  },
} as const satisfies Record<string, DemoProvider>;
export type ProviderKey = keyof typeof PROVIDERS;
