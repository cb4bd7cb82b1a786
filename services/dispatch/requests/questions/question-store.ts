// SQL of the questions that providers ask about their requests (decision D13).
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';

export interface Question {
  readonly questionGuid: string;
  readonly requestGuid: string;
  readonly question: string;
  readonly askedAt: Date;
  readonly answer: string | undefined;
  readonly answeredAt: Date | undefined;
}

/** A question for the requester: with the provider who asked. */
export interface QuestionWithMatch extends Question {
  readonly matchGuid: string;
  readonly providerGuid: string;
  readonly providerName: string;
}

interface Row {
  question_guid: string;
  request_guid: string;
  question: string;
  asked_at: Date;
  answer: string | null;
  answered_at: Date | null;
}

interface RowWithMatch extends Row {
  match_guid: string;
  provider_guid: string;
  provider_name: string;
}

const INSERT = {
  name: 'question-insert',
  text: `INSERT INTO request_question (question_guid, request_guid, service_request_id, question, asked_at)
    VALUES ($1, $2, $3, $4, $5)`,
};
const ANSWER = {
  name: 'question-answer',
  text: 'UPDATE request_question SET answer = $2, answered_at = $3 WHERE question_guid = $1',
};
const OF_REQUEST = {
  name: 'question-of-request',
  text: 'SELECT * FROM request_question WHERE request_guid = $1 ORDER BY question_guid',
};
const FIND = {
  name: 'question-find',
  text: 'SELECT * FROM request_question WHERE service_request_id = $1 AND question_guid = $2',
};
const ASKED = {
  name: 'question-asked',
  text: `SELECT q.*, m.match_guid, m.provider_guid, m.provider_name
    FROM request_question q
    JOIN match m ON m.service_request_id = q.service_request_id AND m.request_guid = q.request_guid
    WHERE q.service_request_id = $1 AND ($2::boolean IS NULL OR (q.answer IS NOT NULL) = $2)
    ORDER BY q.question_guid LIMIT $3 OFFSET $4`,
};
const COUNT_ASKED = {
  name: 'question-count-asked',
  text: `SELECT count(*) AS total FROM request_question
    WHERE service_request_id = $1 AND ($2::boolean IS NULL OR (answer IS NOT NULL) = $2)`,
};

export async function insertQuestion(
  transaction: Queryable,
  question: Pick<Question, 'questionGuid' | 'requestGuid' | 'question' | 'askedAt'> & {
    readonly serviceRequestId: string;
  },
): Promise<void> {
  const { questionGuid, requestGuid, serviceRequestId, question: text, askedAt } = question;
  await transaction.query(INSERT, [questionGuid, requestGuid, serviceRequestId, text, askedAt]);
}

export async function writeAnswer(
  transaction: Queryable,
  questionGuid: string,
  answer: { readonly text: string; readonly at: Date },
): Promise<void> {
  await transaction.query(ANSWER, [questionGuid, answer.text, answer.at]);
}

/** The questions about one provider's request, in order. */
export async function listQuestions(db: Queryable, requestGuid: string): Promise<Question[]> {
  return (await db.query<Row>(OF_REQUEST, [requestGuid])).rows.map(fromRow);
}

export async function findQuestion(
  db: Queryable,
  serviceRequestId: string,
  questionGuid: string,
): Promise<Question | undefined> {
  return findRow(db, FIND, [serviceRequestId, questionGuid], (row: Row) => fromRow(row));
}

export interface QuestionFilter {
  readonly serviceRequestId: string;
  /** Only answered or only unanswered questions; all when undefined. */
  readonly isAnswered: boolean | undefined;
}

/** The questions of all providers about a ServiceRequest, in order. */
export async function listQuestionsOfServiceRequest(
  db: Queryable,
  { serviceRequestId, isAnswered }: QuestionFilter,
  range: { readonly limit: number; readonly offset: number },
): Promise<{ questions: QuestionWithMatch[]; total: number }> {
  const filter = [serviceRequestId, isAnswered ?? null];
  const { rows } = await db.query<RowWithMatch>(ASKED, [...filter, range.limit, range.offset]);
  const { rows: counted } = await db.query<{ total: number }>(COUNT_ASKED, filter);
  return { questions: rows.map(fromRow), total: Number(counted[0]?.total ?? 0) };
}
