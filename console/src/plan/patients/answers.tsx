// The patient's answered forms, question by question.
import { useQuery } from '@tanstack/react-query';
import type { QuestionnaireResponse } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { searchFhir } from '../../api/fhir.ts';
import { AnswerFacts } from '../../forms/answer-facts.tsx';
import { momentText } from '../../i18n/format.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty } from '../../shell/page.tsx';
import { useFormCatalogue } from '../queries.ts';

const MOST = '100';

export function Answers({ patientId }: { readonly patientId: string }) {
  const { t } = useTranslation();
  const answers = useQuery({ queryKey: ['patient-answers', patientId], queryFn: () => readAnswers(patientId) });
  return (
    <Loaded query={answers}>
      {(responses) =>
        responses.length === 0 ? <Empty>{t('planner.answers.none')}</Empty> : <AnswerList responses={responses} />
      }
    </Loaded>
  );
}

/** Both services have some: what caregivers report is at the engine, and what patients answer at dispatch. */
async function readAnswers(patientId: string): Promise<QuestionnaireResponse[]> {
  const parameters = { subject: `Patient/${patientId}`, _count: MOST };
  const found = await Promise.all(
    (['engine', 'dispatch'] as const).map((service) =>
      searchFhir<QuestionnaireResponse>(service, 'QuestionnaireResponse', parameters),
    ),
  );
  return found.flat().toSorted((a, b) => (b.authored ?? '').localeCompare(a.authored ?? ''));
}

/** Titles of forms by their addresses. */
function useFormTitles(): ReadonlyMap<string, string> {
  const { data } = useFormCatalogue();
  return new Map((data?.data ?? []).flatMap(({ url, title }) => (url === null ? [] : [[url, title] as const])));
}

export function AnswerList({ responses }: { readonly responses: readonly QuestionnaireResponse[] }) {
  const { t } = useTranslation();
  const titles = useFormTitles();
  return (
    <ul className="cards">
      {responses.map((response) => {
        const title = titles.get(response.questionnaire?.split('|')[0] ?? '') ?? t('planner.answers.untitled');
        const isPatients = response.meta?.tag?.some(({ code }) => code === 'patient-reported') ?? false;
        return (
          <li key={response.id} className="card">
            <div className="row">
              <h3>{title}</h3>
              <span className="quiet">{response.authored !== undefined && momentText(response.authored)}</span>
            </div>
            <p className="quiet">{t(isPatients ? 'planner.answers.byPatient' : 'planner.answers.byProvider')}</p>
            <AnswerFacts response={response} />
          </li>
        );
      })}
    </ul>
  );
}
