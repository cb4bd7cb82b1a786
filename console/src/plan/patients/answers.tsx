// The patient's answered forms, question by question.
import { useQuery } from '@tanstack/react-query';
import type { QuestionnaireResponse } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { searchFhir } from '../../api/fhir.ts';
import { AnswerFacts } from '../../forms/answer-facts.tsx';
import { isWorded, type Known, knownItems } from '../../forms/answered.ts';
import type { Form } from '../../forms/form.ts';
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

/** The form of a response in the catalogue; another version may ask something else by the same name. */
function useCatalogued(): (response: QuestionnaireResponse) => Catalogued {
  const { data } = useFormCatalogue();
  const forms = data?.data ?? [];
  return ({ questionnaire = '' }) => {
    const [url, version] = questionnaire.split('|', 2);
    const all = url === '' ? [] : forms.filter((each) => each.url === url);
    const same = all.find((each) => version === undefined || each.version === version);
    return { title: (same ?? all[0])?.title, guid: same?.form_guid };
  };
}

interface Catalogued {
  readonly title: string | undefined;
  /** Of the version that was answered. */
  readonly guid: string | undefined;
}

/** The questions of the form, for a response that was sent without them. */
function useQuestions(guid: string | undefined): Known | undefined {
  const { data } = useQuery({
    queryKey: ['form-questions', guid],
    queryFn: () => readQuestions(guid ?? ''),
    enabled: guid !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

async function readQuestions(guid: string): Promise<Known> {
  const path = { form_guid: guid };
  const found = await read(dispatch.GET('/api/v1/Form/{form_guid}', { params: { path } }));
  // Its document describes the form by a schema of its own.
  return knownItems((found as { render_ready: Form }).render_ready.items);
}

function FormAnswers({
  response,
  guid,
}: {
  readonly response: QuestionnaireResponse;
  readonly guid: string | undefined;
}) {
  const known = useQuestions(isWorded(response) ? undefined : guid);
  return <AnswerFacts response={response} known={known} />;
}

export function AnswerList({ responses }: { readonly responses: readonly QuestionnaireResponse[] }) {
  const { t } = useTranslation();
  const catalogued = useCatalogued();
  return (
    <ul className="cards">
      {responses.map((response) => {
        const { title = t('planner.answers.untitled'), guid } = catalogued(response);
        const isPatients = response.meta?.tag?.some(({ code }) => code === 'patient-reported') ?? false;
        return (
          <li key={response.id} className="card">
            <div className="row">
              <h3>{title}</h3>
              <span className="quiet">{response.authored !== undefined && momentText(response.authored)}</span>
            </div>
            <p className="quiet">{t(isPatients ? 'planner.answers.byPatient' : 'planner.answers.byProvider')}</p>
            {response.status === 'entered-in-error' ? (
              <p className="note">{t('planner.answers.withdrawn')}</p>
            ) : (
              <FormAnswers response={response} guid={guid} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
