// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/
export interface paths {
    "/api/v1/access-checks": { post: operations["postAccessChecks"]; };
    "/api/v1/dead-letters": { get: operations["getDeadLetters"]; };
    "/api/v1/dead-letters/{guid}/discard": { post: operations["postDeadLettersDiscard"]; };
    "/api/v1/dead-letters/{guid}/replay": { post: operations["postDeadLettersReplay"]; };
    "/api/v1/dead-letters/causes": { get: operations["getDeadLettersCauses"]; };
    "/api/v1/dead-letters/replay": { post: operations["postDeadLettersReplayMany"]; };
    "/api/v1/deliveries": { get: operations["getDeliveries"]; };
    "/api/v1/Form": { get: operations["getForm"]; };
    "/api/v1/Form/{form_guid}": { get: operations["getFormByFormGuid"]; };
    "/api/v1/notifications": { get: operations["getNotifications"]; };
    "/api/v1/notifications/{guid}/read": { post: operations["postNotificationsRead"]; };
    "/api/v1/notifications/read-all": { post: operations["postNotificationsReadAll"]; };
    "/api/v1/notifications/settings": {
        get: operations["getNotificationsSettings"];
        put: operations["putNotificationsSettings"];
    };
    "/api/v1/own-consents": {
        get: operations["getOwnConsents"];
        post: operations["postOwnConsents"];
    };
    "/api/v1/own-consents/{consent_guid}/end": { post: operations["postOwnConsentsEnd"]; };
    "/api/v1/own-consents/preview": { post: operations["postOwnConsentsPreview"]; };
    "/api/v1/patient-forms": { get: operations["getPatientForms"]; };
    "/api/v1/patient-forms/{guid}": { get: operations["getPatientFormsByGuid"]; };
    "/api/v1/patient-forms/{guid}/draft": {
        put: operations["putPatientFormsDraft"];
        delete: operations["deletePatientFormsDraft"];
    };
    "/api/v1/patient-forms/{guid}/response": {
        put: operations["putPatientFormsResponse"];
        post: operations["postPatientFormsResponse"];
        delete: operations["deletePatientFormsResponse"];
    };
    "/api/v1/providers/{provider_guid}/deliveries": { get: operations["getProvidersDeliveries"]; };
    "/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}": { get: operations["getProvidersDeliveriesByDeliveryGuid"]; };
    "/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}/payload": { get: operations["getProvidersDeliveriesPayload"]; };
    "/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}/resend": { post: operations["postProvidersDeliveriesResend"]; };
    "/api/v1/providers/{provider_guid}/endpoint": {
        get: operations["getProvidersEndpoint"];
        put: operations["putProvidersEndpoint"];
        delete: operations["deleteProvidersEndpoint"];
    };
    "/api/v1/providers/{provider_guid}/endpoint/ping": { post: operations["postProvidersEndpointPing"]; };
    "/api/v1/providers/{provider_guid}/endpoint/rotate-secret": { post: operations["postProvidersEndpointRotateSecret"]; };
    "/api/v1/requests/{request_guid}/questions": {
        get: operations["getRequestsQuestions"];
        post: operations["postRequestsQuestions"];
    };
    "/api/v1/ServiceRequest/{id}/forms": {
        get: operations["getServiceRequestForms"];
        post: operations["postServiceRequestForms"];
    };
    "/api/v1/ServiceRequest/{id}/forms/{form_attachment_guid}": { delete: operations["deleteServiceRequestFormsByFormAttachmentGuid"]; };
    "/api/v1/ServiceRequest/{id}/forms/reorder": { post: operations["postServiceRequestFormsReorder"]; };
    "/api/v1/ServiceRequest/{id}/match": { post: operations["postServiceRequestMatch"]; };
    "/api/v1/ServiceRequest/{id}/matches": { get: operations["getServiceRequestMatches"]; };
    "/api/v1/ServiceRequest/{id}/matches/{match_guid}/attempts": { get: operations["getServiceRequestMatchesAttempts"]; };
    "/api/v1/ServiceRequest/{id}/matches/{match_guid}/link": {
        get: operations["getServiceRequestMatchesLink"];
        post: operations["postServiceRequestMatchesLink"];
        delete: operations["deleteServiceRequestMatchesLink"];
    };
    "/api/v1/ServiceRequest/{id}/push": { post: operations["postServiceRequestPush"]; };
    "/api/v1/ServiceRequest/{id}/push/{match_guid}": { post: operations["postServiceRequestPushByMatchGuid"]; };
    "/api/v1/ServiceRequest/{id}/questions": { get: operations["getServiceRequestQuestions"]; };
    "/api/v1/ServiceRequest/{id}/questions/{question_guid}/answer": { post: operations["postServiceRequestQuestionsAnswer"]; };
    "/api/v1/ServiceRequest/{id}/results": { get: operations["getServiceRequestResults"]; };
    "/api/v1/ServiceRequest/{id}/snapshot": {
        get: operations["getServiceRequestSnapshot"];
        put: operations["putServiceRequestSnapshot"];
    };
    "/api/v1/settings": { get: operations["getSettings"]; };
    "/api/v1/statistics": { get: operations["getStatistics"]; };
    "/api/v1/status": { get: operations["getStatus"]; };
    "/api/v1/worklist": { get: operations["getWorklist"]; };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessCheck: {
            acts: components["schemas"]["DecidedAct"][];
            caller: {
                acting_for?: string;
                guid: string;
                kind: "user" | "api_key" | "provider";
                organisation_guids: string[];
                phases: string[];
                provider_guids: string[];
                roles: string[];
                scopes: string[];
            };
            id: string;
            organisation_guid: string | null;
            resource_type: string;
        };
        AccessCheckCaller: {
            acting_for?: string;
            guid: string;
            kind: "user" | "api_key" | "provider";
        };
        AccessCheckInput: {
            caller: components["schemas"]["AccessCheckCaller"];
            id: string;
            resource_type: string;
        };
        AdministeredDelivery: {
            attempts_made: number;
            cancelled_reason: string | null;
            /** Format: date-time */
            created_at: string;
            dead_at: string | null;
            delivered_at: string | null;
            delivery_guid: string;
            discard_reason: string | null;
            failures: number;
            last_error: string | null;
            next_at: string | null;
            provider_guid: string;
            request_guid: string | null;
            status: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
            type: "request.dispatched" | "request.withdrawn" | "request.revoked" | "ping";
            /** Format: date-time */
            updated_at: string;
        };
        AdministeredDeliveryPage: {
            data: components["schemas"]["AdministeredDelivery"][];
            page: number;
            per_page: number;
            total: number;
        };
        CatalogueForm: {
            form_guid: string;
            status: string;
            title: string;
            url: string | null;
            version: string | null;
        };
        CatalogueFormPage: {
            /** Format: date-time */
            as_of: string;
            data: components["schemas"]["CatalogueForm"][];
            page: number;
            per_page: number;
            stale: boolean;
            total: number;
        };
        DecidedAct: {
            act: string;
            acting_for?: string;
            allowed: boolean;
            match?: {
                match_guid: string;
                provider_guid: string;
                provider_name: string;
            };
            resource_type: string;
            rules: components["schemas"]["DecidingRule"][];
        };
        DecidingRule: {
            given: string[];
            message: string;
            needed: string[];
            permits: boolean;
            reason: "open_to_anyone" | "credentials_missing" | "call_granted" | "call_not_granted" | "password_change_required" | "second_factor_required" | "closed_to_proxies" | "role_held" | "role_missing" | "phase_missing" | "is_proxy" | "is_guardian" | "not_a_proxy" | "proxy_not_accepted" | "proxy_declined" | "proxy_withdrawn" | "proxy_over" | "guardian_ended" | "guardian_over" | "scope_held" | "scope_missing" | "report_completed" | "report_refused" | "report_kept" | "no_organisation" | "all_records" | "no_records" | "own_organisation" | "other_organisation" | "owner_only" | "not_protected" | "protected_identity" | "own_record" | "not_own_record" | "own_report" | "not_own_report" | "record_shown" | "record_hidden" | "organisations_only" | "unprotected_only" | "own_records_only" | "state_permits" | "state_refuses" | "acts_for_provider" | "not_for_provider" | "consent_given" | "consent_implied" | "consent_denied" | "consent_missing" | "consent_unclear";
            rule: "proxy" | "role" | "scope" | "report" | "record" | "state" | "provider" | "consent";
        };
        Delivery: {
            attempts_made: number;
            cancelled_reason: string | null;
            /** Format: date-time */
            created_at: string;
            dead_at: string | null;
            delivered_at: string | null;
            delivery_guid: string;
            failures: number;
            last_error: string | null;
            next_at: string | null;
            provider_guid: string;
            request_guid: string | null;
            status: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
            type: "request.dispatched" | "request.withdrawn" | "request.revoked" | "ping";
            /** Format: date-time */
            updated_at: string;
        };
        DeliveryAttempt: {
            attempt: number;
            duration_ms: number | null;
            http_status: number | null;
            outcome: string | null;
            /** Format: date-time */
            started_at: string;
        };
        DeliveryAttemptDetails: {
            answer: string | null;
            attempt: number;
            duration_ms: number | null;
            http_status: number | null;
            outcome: string | null;
            /** Format: date-time */
            started_at: string;
        };
        DeliveryAttemptPage: {
            data: components["schemas"]["DeliveryAttempt"][];
            page: number;
            per_page: number;
            total: number;
        };
        DeliveryDetails: {
            attempts: components["schemas"]["DeliveryAttemptDetails"][];
            attempts_made: number;
            cancelled_reason: string | null;
            /** Format: date-time */
            created_at: string;
            dead_at: string | null;
            delivered_at: string | null;
            delivery_guid: string;
            failures: number;
            last_error: string | null;
            next_at: string | null;
            provider_guid: string;
            request_guid: string | null;
            status: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
            type: "request.dispatched" | "request.withdrawn" | "request.revoked" | "ping";
            /** Format: date-time */
            updated_at: string;
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            page: number;
            per_page: number;
            total: number;
        };
        FormAttachment: {
            answered_by: "provider" | "patient";
            due: string | null;
            form_attachment_guid: string;
            form_guid: string;
            position: number;
            title: string;
        };
        FormAttachmentInput: {
            answered_by?: "provider" | "patient";
            /** Format: date */
            due?: string;
            form_guid: string;
        };
        FormAttachmentPage: {
            data: components["schemas"]["FormAttachment"][];
            page: number;
            per_page: number;
            total: number;
        };
        LinkMail: {
            last_error: string | null;
            next_at: string | null;
            state: "queued" | "retrying" | "sent" | "dead";
        };
        LinkState: {
            created_at: string | null;
            ended_at: string | null;
            is_mailed: boolean;
            mail: components["schemas"]["LinkMail"] | null;
            state: "none" | "works" | "withdrawn";
        };
        Match: {
            accepted_by?: { name: string | null; };
            blocked_reason?: string;
            contract_guid: string;
            delivery: components["schemas"]["MatchDelivery"] | null;
            link_mail?: components["schemas"]["LinkMail"];
            match_guid: string;
            progress?: string;
            progress_note?: string;
            provider_guid: string;
            provider_name: string;
            /** Format: date-time */
            pushed_at?: string;
            rejected_reason?: string;
            reported_by?: { name: string | null; };
            request_guid?: string;
            /** Format: date-time */
            respond_by?: string;
            /** Format: date-time */
            responded_at?: string;
            results?: string[];
            status: string;
            /** Format: date-time */
            updated_at: string;
            withdrawn_reason?: string;
        };
        MatchDelivery: {
            attempts: number;
            delivered_at: string | null;
            last_error: string | null;
            next_at: string | null;
            state: "queued" | "sending" | "delivered" | "retrying" | "dead" | "cancelled";
        };
        MatchPage: {
            data: components["schemas"]["Match"][];
            page: number;
            per_page: number;
            total: number;
        };
        NewLink: {
            is_mailed: boolean;
            link: string;
            qr_svg?: string;
        };
        NewProviderEndpoint: {
            /** Format: date-time */
            readonly created_at: string;
            readonly disabled_reason: "administrator" | "gone" | null;
            enabled: boolean;
            readonly is_hosted: boolean;
            readonly previous_secret_valid_until: string | null;
            readonly provider_guid: string;
            secret: string;
            /** Format: date-time */
            readonly updated_at: string;
            url: string;
        };
        Notification: {
            care_plan: { reference: string; } | null;
            /** Format: date-time */
            created_at: string;
            is_addressed: boolean;
            kind: "question_asked" | "question_answered" | "request_accepted" | "request_rejected" | "request_given_up" | "request_expired" | "report_received" | "request_completed" | "delivery_dead" | "delivery_blocked" | "patient_reported" | "values_reported" | "answer_withdrawn" | "values_withdrawn" | "request_withdrawn" | "form_given" | "results_received";
            match_guid: string | null;
            notification_guid: string;
            patient: { reference: string; };
            provider_guid: string | null;
            provider_name: string | null;
            read_at: string | null;
            request_guid: string | null;
            service_request_id: string | null;
        };
        NotificationPage: {
            cursor: string;
            data: components["schemas"]["Notification"][];
            page: number;
            per_page: number;
            total: number;
            unread: number;
        };
        NotificationSettings: {
            digest: "off" | "hourly" | "daily";
            readonly is_available: boolean;
            language: "sv" | "en";
        };
        OwnConsent: {
            consent_guid: string;
            decision: ("permit" | "deny") | null;
            ends_on: string | null;
            is_simple: boolean;
            organisation_guid: string | null;
            starts_on: string | null;
            status: "active" | "ended";
            /** Format: date-time */
            updated_at: string;
        };
        OwnConsentInput: {
            decision: "permit" | "deny";
            /** Format: date */
            ends_on?: string;
            organisation_guid?: string;
            /** Format: date */
            starts_on?: string;
        };
        OwnConsentPage: {
            data: components["schemas"]["OwnConsent"][];
            page: number;
            per_page: number;
            total: number;
        };
        OwnConsentPreview: {
            affected: {
                after: "permitted" | "consent_denied" | "consent_cannot_be_evaluated" | "consent_missing";
                before: "permitted" | "consent_denied" | "consent_cannot_be_evaluated" | "consent_missing";
                match_status: "pending" | "pushed" | "accepted";
                provider_guid: string;
                provider_name: string;
                request_guid: string | null;
                service_request_id: string;
                text: string;
                title: string | null;
            }[];
            /** Format: date-time */
            at: string;
            has_more: boolean;
            unaffected: number;
        };
        OwnConsentPreviewInput: {
            decision?: "permit" | "deny";
            ends?: string;
            /** Format: date */
            ends_on?: string;
            organisation_guid?: string;
            /** Format: date */
            starts_on?: string;
        };
        PatientForm: {
            answered_at: string | null;
            begun_at: string | null;
            can_change: boolean;
            due: string | null;
            given_by: {
                plan: { reference: string; };
                request: { reference: string; } | null;
            };
            patient_form_guid: string;
            response: { reference: string; } | null;
            reviewed_at: string | null;
            status: "to_do" | "begun" | "answered";
            title: string;
        };
        PatientFormAnswers: {
            author?: unknown;
            authored?: unknown;
            basedOn?: unknown;
            contained?: unknown;
            encounter?: unknown;
            extension?: unknown;
            id?: unknown;
            identifier?: unknown;
            implicitRules?: unknown;
            item?: unknown[];
            language?: unknown;
            meta?: unknown;
            partOf?: unknown;
            questionnaire?: unknown;
            resourceType?: "QuestionnaireResponse";
            source?: unknown;
            status?: unknown;
            subject?: unknown;
            text?: unknown;
        };
        PatientFormPage: {
            data: components["schemas"]["PatientForm"][];
            page: number;
            per_page: number;
            total: number;
        };
        ProviderEndpoint: {
            /** Format: date-time */
            readonly created_at: string;
            readonly disabled_reason: "administrator" | "gone" | null;
            enabled: boolean;
            readonly is_hosted: boolean;
            readonly previous_secret_valid_until: string | null;
            readonly provider_guid: string;
            /** Format: date-time */
            readonly updated_at: string;
            url: string;
        };
        ProviderEndpointInput: {
            /** @default true */
            enabled?: boolean;
            url: string;
        };
        PushInput: {
            /** Format: date-time */
            respond_by?: string;
            selection?: "all" | "first";
        };
        PushOutcome: {
            already: string[];
            blocked: {
                match_guid: string;
                reason: string;
            }[];
            pushed: {
                delivery_guid: string | null;
                match_guid: string;
                request_guid: string;
            }[];
        };
        Question: {
            answer: string | null;
            answered_at: string | null;
            /** Format: date-time */
            asked_at: string;
            question: string;
            question_guid: string;
            request_guid: string;
        };
        QuestionOfMatch: {
            answer: string | null;
            answered_at: string | null;
            /** Format: date-time */
            asked_at: string;
            match_guid: string;
            provider_guid: string;
            provider_name: string;
            question: string;
            question_guid: string;
            request_guid: string;
        };
        QuestionOfMatchPage: {
            data: components["schemas"]["QuestionOfMatch"][];
            page: number;
            per_page: number;
            total: number;
        };
        QueueFigures: {
            dead: number;
            oldest_s: number;
            waiting: number;
        };
        ReplayedDelivery: {
            delivery_guid: string;
            status: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
        };
        ReportedResult: {
            match_guid: string | null;
            provider_name: string | null;
            reference: string;
            reported_at: string | null;
            reporter: "provider" | "patient";
            state: "stored" | "pending" | "refused";
        };
        ReportedResultPage: {
            data: components["schemas"]["ReportedResult"][];
            page: number;
            per_page: number;
            total: number;
        };
        RequestFigures: {
            errors: number;
            routes: components["schemas"]["RouteFigures"][];
            total: number;
        };
        RouteFigures: {
            count: number;
            errors: number;
            mean_ms: number;
            method: string;
            p50_ms: number;
            p95_ms: number;
            p99_ms: number;
            route: string;
        };
        ServiceStatus: {
            database: { latency_ms: number; };
            deliveries: components["schemas"]["QueueFigures"];
            mails: components["schemas"]["QueueFigures"];
            requests: components["schemas"]["RequestFigures"];
            results: components["schemas"]["QueueFigures"];
            /** Format: date-time */
            started_at: string;
            version: string;
        };
        Setting: {
            default: string | null;
            is_secret: boolean;
            is_set: boolean;
            meaning: string;
            name: string;
            section: string;
            source: "environment" | "env_file" | "secret_file" | "default" | "unset";
            type: string;
            value: string | null;
            when_unset: string | null;
        };
        Settings: {
            reference: string;
            settings: components["schemas"]["Setting"][];
        };
        Statistics: {
            answers: {
                count: number;
                median_hours: number;
                provider_guid: string;
                provider_name: string;
                weekday: number;
            }[];
            /** Format: date-time */
            as_of: string;
            attempts: {
                count: number;
                outcome: string;
                p50_ms: number | null;
                p95_ms: number | null;
            }[];
            exits: {
                expired: number;
                rejected: number;
                revoked: number;
            };
            /** Format: date */
            from: string;
            steps: {
                accepted: number;
                answered: number;
                completed: number;
                finalized: number;
                made: number;
                matched: number;
                pushed: number;
            };
            /** Format: date */
            to: string;
            waiting: {
                count: number;
                up_to_hours: number | null;
            }[];
        };
        WorklistItem: {
            asked_at: string | null;
            care_plan: { reference: string; };
            /** Format: date-time */
            created_at: string;
            is_archived: boolean;
            is_mine: boolean;
            matches: {
                accepted: number;
                pending: number;
                refused: number;
                unanswered: number;
                undelivered: number;
            };
            patient: { reference: string; };
            service_request_id: string;
            stage: "draft" | "to_send" | "unanswered" | "refused" | "in_work" | "on_hold" | "completed" | "revoked";
            title: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        WorklistPage: {
            counts: {
                completed: number;
                draft: number;
                in_work: number;
                on_hold: number;
                refused: number;
                revoked: number;
                to_send: number;
                unanswered: number;
                undelivered: number;
            };
            data: components["schemas"]["WorklistItem"][];
            page: number;
            per_page: number;
            total: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAccessChecks: {
        parameters: {};
        requestBody: { content: { "application/json": components["schemas"]["AccessCheckInput"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AccessCheck"]; }; }; };
    };
    getDeadLetters: {
        parameters: { query?: {
            cause?: string;
            page?: number;
            per_page?: number;
            provider_guid?: string;
            since?: string;
            until?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AdministeredDeliveryPage"]; }; }; };
    };
    postDeadLettersDiscard: {
        parameters: { path: { guid: string; }; };
        requestBody: { content: { "application/json": { reason: string; }; }; };
        responses: { 200: { content: { "application/json": {
            cancelled_reason: "discarded";
            delivery_guid: string;
            status: "cancelled";
        }; }; }; };
    };
    postDeadLettersReplay: {
        parameters: { path: { guid: string; }; };
        responses: { 202: { content: { "application/json": components["schemas"]["ReplayedDelivery"]; }; }; };
    };
    getDeadLettersCauses: {
        parameters: {};
        responses: { 200: { content: { "application/json": { data: {
            cause: string;
            dead_letters: number;
            /** Format: date-time */
            first_dead_at: string;
            /** Format: date-time */
            last_dead_at: string;
            provider_guid: string;
        }[]; }; }; }; };
    };
    postDeadLettersReplayMany: {
        parameters: {};
        requestBody: { content: { "application/json": {
            cause?: string;
            provider_guid?: string;
            /** Format: date-time */
            since?: string;
            /** Format: date-time */
            until?: string;
        }; }; };
        responses: { 202: { content: { "application/json": { replayed: number; }; }; }; };
    };
    getDeliveries: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            provider_guid?: string;
            request_guid?: string;
            status?: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
            type?: "request.dispatched" | "request.withdrawn" | "request.revoked" | "ping";
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AdministeredDeliveryPage"]; }; }; };
    };
    getForm: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["CatalogueFormPage"]; }; }; };
    };
    getFormByFormGuid: {
        parameters: { path: { form_guid: string; }; };
        responses: { 200: { content: { "application/json": Record<string, never>; }; }; };
    };
    getNotifications: {
        parameters: { query?: {
            kind?: "question_asked" | "question_answered" | "request_accepted" | "request_rejected" | "request_given_up" | "request_expired" | "report_received" | "request_completed" | "delivery_dead" | "delivery_blocked" | "patient_reported" | "values_reported" | "answer_withdrawn" | "values_withdrawn" | "request_withdrawn" | "form_given" | "results_received";
            page?: number;
            per_page?: number;
            service_request_id?: string;
            unread?: boolean;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["NotificationPage"]; }; }; };
    };
    postNotificationsRead: {
        parameters: { path: { guid: string; }; };
        responses: { 200: { content: { "application/json": {
            notification_guid: string;
            /** Format: date-time */
            read_at: string;
        }; }; }; };
    };
    postNotificationsReadAll: {
        parameters: {};
        responses: { 200: { content: { "application/json": { read: number; }; }; }; };
    };
    getNotificationsSettings: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["NotificationSettings"]; }; }; };
    };
    putNotificationsSettings: {
        parameters: {};
        requestBody: { content: { "application/json": {
            digest: "off" | "hourly" | "daily";
            language?: "sv" | "en";
        }; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["NotificationSettings"]; }; }; };
    };
    getOwnConsents: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["OwnConsentPage"]; }; }; };
    };
    postOwnConsents: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["OwnConsentInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["OwnConsent"]; }; }; };
    };
    postOwnConsentsEnd: {
        parameters: { path: { consent_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["OwnConsent"]; }; }; };
    };
    postOwnConsentsPreview: {
        parameters: {};
        requestBody: { content: { "application/json": components["schemas"]["OwnConsentPreviewInput"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["OwnConsentPreview"]; }; }; };
    };
    getPatientForms: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            status?: "to_do" | "begun" | "answered";
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["PatientFormPage"]; }; }; };
    };
    getPatientFormsByGuid: {
        parameters: { path: { guid: string; }; };
        responses: { 200: { content: { "application/json": Record<string, never>; }; }; };
    };
    putPatientFormsDraft: {
        parameters: { path: { guid: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["PatientFormAnswers"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["PatientForm"]; }; }; };
    };
    deletePatientFormsDraft: {
        parameters: { path: { guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["PatientForm"]; }; }; };
    };
    putPatientFormsResponse: {
        parameters: { path: { guid: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["PatientFormAnswers"]; }; };
        responses: { 200: { content: { "application/fhir+json": Record<string, never>; }; }; };
    };
    postPatientFormsResponse: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: { guid: string; };
        };
        requestBody: { content: { "application/json": components["schemas"]["PatientFormAnswers"]; }; };
        responses: { 201: { content: { "application/fhir+json": Record<string, never>; }; }; };
    };
    deletePatientFormsResponse: {
        parameters: { path: { guid: string; }; };
        responses: { 204: { content?: never; }; };
    };
    getProvidersDeliveries: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                request_guid?: string;
                status?: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
                type?: "request.dispatched" | "request.withdrawn" | "request.revoked" | "ping";
            };
            path: { provider_guid: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["DeliveryPage"]; }; }; };
    };
    getProvidersDeliveriesByDeliveryGuid: {
        parameters: { path: {
            delivery_guid: string;
            provider_guid: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["DeliveryDetails"]; }; }; };
    };
    getProvidersDeliveriesPayload: {
        parameters: { path: {
            delivery_guid: string;
            provider_guid: string;
        }; };
        responses: { 200: { content: { "application/json": {
            data: { [key: string]: unknown; };
            /** Format: date-time */
            timestamp: string;
            type: "request.dispatched" | "request.withdrawn" | "request.revoked" | "ping";
        }; }; }; };
    };
    postProvidersDeliveriesResend: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: {
                delivery_guid: string;
                provider_guid: string;
            };
        };
        responses: { 202: { content: { "application/json": components["schemas"]["ReplayedDelivery"]; }; }; };
    };
    getProvidersEndpoint: {
        parameters: { path: { provider_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderEndpoint"]; }; }; };
    };
    putProvidersEndpoint: {
        parameters: { path: { provider_guid: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ProviderEndpointInput"]; }; };
        responses: {
            200: { content: { "application/json": components["schemas"]["ProviderEndpoint"]; }; };
            201: { content: { "application/json": components["schemas"]["NewProviderEndpoint"]; }; };
        };
    };
    deleteProvidersEndpoint: {
        parameters: { path: { provider_guid: string; }; };
        responses: { 204: { content?: never; }; };
    };
    postProvidersEndpointPing: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: { provider_guid: string; };
        };
        responses: { 202: { content: { "application/json": { delivery_guid: string; }; }; }; };
    };
    postProvidersEndpointRotateSecret: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: { provider_guid: string; };
        };
        requestBody: { content: { "application/json": { /** @default 24 */
        grace_hours?: number; }; }; };
        responses: { 200: { content: { "application/json": {
            previous_secret_valid_until: string | null;
            secret: string;
        }; }; }; };
    };
    getRequestsQuestions: {
        parameters: { path: { request_guid: string; }; };
        responses: { 200: { content: { "application/json": { questions: components["schemas"]["Question"][]; }; }; }; };
    };
    postRequestsQuestions: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: { request_guid: string; };
        };
        requestBody: { content: { "application/json": { question: string; }; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["Question"]; }; }; };
    };
    getServiceRequestForms: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            path: { id: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["FormAttachmentPage"]; }; }; };
    };
    postServiceRequestForms: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: { id: string; };
        };
        requestBody: { content: { "application/json": components["schemas"]["FormAttachmentInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["FormAttachment"]; }; }; };
    };
    deleteServiceRequestFormsByFormAttachmentGuid: {
        parameters: { path: {
            form_attachment_guid: string;
            id: string;
        }; };
        responses: { 204: { content?: never; }; };
    };
    postServiceRequestFormsReorder: {
        parameters: { path: { id: string; }; };
        requestBody: { content: { "application/json": { ordered_guids: string[]; }; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["FormAttachmentPage"]; }; }; };
    };
    postServiceRequestMatch: {
        parameters: { path: { id: string; }; };
        requestBody: { content: { "application/json": {
            /** Format: date */
            date?: string;
            region?: string;
        }; }; };
        responses: { 200: { content: { "application/json": { matches: components["schemas"]["Match"][]; }; }; }; };
    };
    getServiceRequestMatches: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            path: { id: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["MatchPage"]; }; }; };
    };
    getServiceRequestMatchesAttempts: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            path: {
                id: string;
                match_guid: string;
            };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["DeliveryAttemptPage"]; }; }; };
    };
    getServiceRequestMatchesLink: {
        parameters: { path: {
            id: string;
            match_guid: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["LinkState"]; }; }; };
    };
    postServiceRequestMatchesLink: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: {
                id: string;
                match_guid: string;
            };
        };
        requestBody: { content: { "application/json": {
            /** Format: email */
            email?: string;
            language?: "sv" | "en";
            /** @default false */
            qr?: boolean;
        }; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["NewLink"]; }; }; };
    };
    deleteServiceRequestMatchesLink: {
        parameters: { path: {
            id: string;
            match_guid: string;
        }; };
        responses: { 204: { content?: never; }; };
    };
    postServiceRequestPush: {
        parameters: { path: { id: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["PushInput"]; }; };
        responses: { 202: { content: { "application/json": components["schemas"]["PushOutcome"]; }; }; };
    };
    postServiceRequestPushByMatchGuid: {
        parameters: { path: {
            id: string;
            match_guid: string;
        }; };
        requestBody: { content: { "application/json": components["schemas"]["PushInput"]; }; };
        responses: { 202: { content: { "application/json": components["schemas"]["PushOutcome"]; }; }; };
    };
    getServiceRequestQuestions: {
        parameters: {
            query?: {
                answered?: boolean;
                page?: number;
                per_page?: number;
            };
            path: { id: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["QuestionOfMatchPage"]; }; }; };
    };
    postServiceRequestQuestionsAnswer: {
        parameters: { path: {
            id: string;
            question_guid: string;
        }; };
        requestBody: { content: { "application/json": { answer: string; }; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Question"]; }; }; };
    };
    getServiceRequestResults: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            path: { id: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["ReportedResultPage"]; }; }; };
    };
    getServiceRequestSnapshot: {
        parameters: { path: { id: string; }; };
        responses: { 200: { content: { "application/json": Record<string, never>; }; }; };
    };
    putServiceRequestSnapshot: {
        parameters: { path: { id: string; }; };
        requestBody: { content: { "application/json": {
            note?: string;
            occurrence?: string | { [key: string]: unknown; };
            plan_definition?: { [key: string]: unknown; };
            priority?: "routine" | "urgent" | "asap" | "stat";
        }; }; };
        responses: { 200: { content: { "application/json": Record<string, never>; }; }; };
    };
    getSettings: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["Settings"]; }; }; };
    };
    getStatistics: {
        parameters: { query?: {
            from?: string;
            to?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Statistics"]; }; }; };
    };
    getStatus: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["ServiceStatus"]; }; }; };
    };
    getWorklist: {
        parameters: { query?: {
            archived?: boolean;
            mine?: boolean;
            order?: "newest" | "oldest";
            page?: number;
            patient_guid?: string;
            per_page?: number;
            provider_guid?: string;
            stage?: "draft" | "to_send" | "unanswered" | "refused" | "in_work" | "on_hold" | "completed" | "revoked";
            undelivered?: boolean;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["WorklistPage"]; }; }; };
    };
}
