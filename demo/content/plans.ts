// Ten activities with their transactions, six goals, and the four published plans.

type UnitOfTime = 'd' | 'wk' | 'mo' | 'a';

interface Timing {
  readonly frequency: number;
  readonly period: number;
  readonly periodUnit: UnitOfTime;
  readonly when?: readonly string[];
  readonly timeOfDay?: readonly string[];
  readonly dayOfWeek?: readonly string[];
}

export interface DemoTransaction {
  readonly name: string;
  readonly concept: string;
  readonly timing: Timing;
  readonly required: boolean;
}

export interface DemoActivity {
  readonly name: string;
  readonly description: string;
  readonly concept: string;
  readonly transactions: readonly DemoTransaction[];
}

const every = (period: number, periodUnit: UnitOfTime, more: Partial<Timing> = {}): Timing => ({
  frequency: 1,
  period,
  periodUnit,
  ...more,
});
const morning = every(1, 'd', { when: ['MORN'] });
const quarterly = every(3, 'mo');
const dressing = every(1, 'wk', { frequency: 3, dayOfWeek: ['mon', 'wed', 'fri'] });

const must = (name: string, concept: string, timing: Timing): DemoTransaction => ({
  name,
  concept,
  timing,
  required: true,
});
const may = (name: string, concept: string, timing: Timing): DemoTransaction => ({
  ...must(name, concept, timing),
  required: false,
});

export const ACTIVITIES: readonly DemoActivity[] = [
  {
    name: 'Egenmonitorering vid hjärtsvikt',
    description: 'Patienten väger sig och mäter blodtryck hemma. Mer än 2 kg upp på tre dagar: ring mottagningen.',
    concept: 'act-heart-home',
    transactions: [
      must('Vikt varje morgon', 'weight', morning),
      must('Övertryck', 'systolic', morning),
      must('Undertryck', 'diastolic', morning),
      may('Puls', 'pulse', morning),
      may('Svullnad', 'swelling', every(1, 'wk', { dayOfWeek: ['sun'] })),
    ],
  },
  {
    name: 'Provtagning vid hjärtsvikt',
    description: 'Blodprov var tredje månad och två veckor efter ändrad behandling.',
    concept: 'act-heart-laboratory',
    transactions: [
      must('NT-proBNP', 'nt-probnp', quarterly),
      must('Kalium', 'potassium', quarterly),
      must('Kreatinin', 'creatinine', quarterly),
      may('eGFR', 'egfr', quarterly),
    ],
  },
  {
    name: 'Besök hos hjärtsviktssjuksköterska',
    description: 'Bedömning av funktion, vätska och läkemedel.',
    concept: 'act-heart-visit',
    transactions: [
      must('Funktionsklass', 'nyha', every(4, 'wk')),
      must('Vikt på mottagningen', 'weight', every(4, 'wk')),
      may('Andfåddhet', 'breathlessness', every(4, 'wk')),
      may('Andningsfrekvens', 'respiration', every(4, 'wk')),
    ],
  },
  {
    name: 'Egenmätning av glukos',
    description: 'Patienten mäter före frukost, och efter middagen de dagar som avtalats.',
    concept: 'act-glucose',
    transactions: [
      must('Fasteglukos', 'glucose-fasting', every(1, 'd', { timeOfDay: ['07:00:00'] })),
      may('Glukos efter middag', 'glucose-meal', every(1, 'wk', { frequency: 2 })),
      may('Insulindos', 'insulin-dose', every(1, 'd')),
    ],
  },
  {
    name: 'Provtagning vid diabetes',
    description: 'Långtidssocker och njurfunktion.',
    concept: 'act-diabetes-laboratory',
    transactions: [
      must('HbA1c', 'hba1c', quarterly),
      must('Kreatinin', 'creatinine', every(1, 'a')),
      may('Midjemått', 'waist', every(1, 'a')),
    ],
  },
  {
    name: 'Fotundersökning',
    description: 'Känsel, cirkulation, hud och skor. Hög risk: oftare än en gång om året.',
    concept: 'act-foot',
    transactions: [must('Fotstatus', 'foot-status', every(1, 'a'))],
  },
  {
    name: 'Spirometri',
    description: 'Lungfunktion före och efter bronkdilatation.',
    concept: 'act-spirometry',
    transactions: [must('FEV1', 'fev1', every(1, 'a')), may('PEF', 'peak-flow', every(1, 'a'))],
  },
  {
    name: 'Egenmonitorering vid KOL',
    description: 'Syremättnad och symtom hemma; försämring i två dagar i rad meddelas mottagningen.',
    concept: 'act-copd-home',
    transactions: [
      must('Syremättnad i vila', 'saturation', morning),
      must('Symtompoäng', 'copd-score', every(1, 'wk')),
      may('Steg', 'steps', every(1, 'd')),
      may('Temperatur vid försämring', 'temperature', every(1, 'd')),
    ],
  },
  {
    name: 'Såromläggning med bedömning',
    description: 'Rengöring, mätning och nytt förband; fotografi vid försämring.',
    concept: 'act-wound',
    transactions: [
      must('Yta', 'wound-area', dressing),
      may('Djup', 'wound-depth', every(1, 'wk')),
      must('Sårvätska', 'exudate', dressing),
      must('Smärta vid omläggning', 'pain', dressing),
    ],
  },
  {
    name: 'Samtal om levnadsvanor',
    description: 'Rökning och rörelse; erbjud stöd att sluta.',
    concept: 'act-habits',
    transactions: [must('Rökvanor', 'smoking', every(6, 'mo')), may('Rörelse', 'exercise', every(6, 'mo'))],
  },
];

export interface DemoGoal {
  readonly name: string;
  readonly concept: string;
  readonly target: {
    readonly comparator?: '<' | '<=' | '>=' | '>';
    readonly value?: number;
    readonly low?: number;
    readonly high?: number;
  };
  readonly due: { readonly value: number; readonly unit: UnitOfTime };
  /** The concepts of the activities for this goal. */
  readonly activities: readonly string[];
}

export const GOALS: readonly DemoGoal[] = [
  {
    name: 'Övertryck under 130 mmHg',
    concept: 'systolic',
    target: { comparator: '<', value: 130 },
    due: { value: 3, unit: 'mo' },
    activities: ['act-heart-home'],
  },
  {
    name: 'NT-proBNP under 1 000 ng/L',
    concept: 'nt-probnp',
    target: { comparator: '<', value: 1000 },
    due: { value: 6, unit: 'mo' },
    activities: ['act-heart-laboratory', 'act-heart-visit'],
  },
  {
    name: 'HbA1c högst 52 mmol/mol',
    concept: 'hba1c',
    target: { comparator: '<=', value: 52 },
    due: { value: 6, unit: 'mo' },
    activities: ['act-diabetes-laboratory', 'act-glucose'],
  },
  {
    name: 'Fasteglukos 5–8 mmol/L',
    concept: 'glucose-fasting',
    target: { low: 5, high: 8 },
    due: { value: 8, unit: 'wk' },
    activities: ['act-glucose'],
  },
  {
    name: 'Syremättnad minst 90 % i vila',
    concept: 'saturation',
    target: { comparator: '>=', value: 90 },
    due: { value: 4, unit: 'wk' },
    activities: ['act-copd-home'],
  },
  {
    name: 'Sårets yta högst 1 cm²',
    concept: 'wound-area',
    target: { comparator: '<=', value: 1 },
    due: { value: 12, unit: 'wk' },
    activities: ['act-wound'],
  },
];

export interface DemoPlan {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  /** The concepts of its activities. */
  readonly activities: readonly string[];
  /** The concepts of its goals. */
  readonly goals: readonly string[];
}

const url = (name: string) => `https://example.org/kedja/planer/${name}`;

export const PLANS = {
  heart: {
    title: 'Hjärtsvikt: uppföljning i hemmet',
    description: 'Egenmätning, prover och sjuksköterskebesök det första året efter diagnos',
    url: url('hjartsvikt'),
    activities: ['act-heart-home', 'act-heart-laboratory', 'act-heart-visit'],
    goals: ['systolic', 'nt-probnp'],
  },
  diabetes: {
    title: 'Diabetes typ 2: årsplan',
    description: 'Egenmätning, långtidssocker, fötter och levnadsvanor',
    url: url('diabetes'),
    activities: ['act-glucose', 'act-diabetes-laboratory', 'act-foot', 'act-habits'],
    goals: ['hba1c', 'glucose-fasting'],
  },
  copd: {
    title: 'KOL: uppföljning efter försämring',
    description: 'Lungfunktion, syremättnad och symtom, med stöd att sluta röka',
    url: url('kol'),
    activities: ['act-spirometry', 'act-copd-home', 'act-habits'],
    goals: ['saturation'],
  },
  wound: {
    title: 'Svårläkt sår: omläggning tre gånger i veckan',
    description: 'Omläggning med mätning tills såret är läkt, omprövas efter tolv veckor',
    url: url('sar'),
    activities: ['act-wound'],
    goals: ['wound-area'],
  },
} as const satisfies Record<string, DemoPlan>;
export type PlanKey = keyof typeof PLANS;
