// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/
export interface paths {
    "/api/v1/access-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postAccessChecks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dead-letters/{guid}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postDeadLettersDiscard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dead-letters/{guid}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postDeadLettersReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dead-letters/causes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getDeadLettersCauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dead-letters/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postDeadLettersReplayMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/Form": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getForm"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/Form/{form_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getFormByFormGuid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/{guid}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postNotificationsRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postNotificationsReadAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/own-consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOwnConsents"];
        put?: never;
        post: operations["postOwnConsents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/own-consents/{consent_guid}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postOwnConsentsEnd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/own-consents/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postOwnConsentsPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/patient-forms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPatientForms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/patient-forms/{guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPatientFormsByGuid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/patient-forms/{guid}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["putPatientFormsDraft"];
        post?: never;
        delete: operations["deletePatientFormsDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/patient-forms/{guid}/response": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["putPatientFormsResponse"];
        post: operations["postPatientFormsResponse"];
        delete: operations["deletePatientFormsResponse"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_guid}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProvidersDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProvidersDeliveriesByDeliveryGuid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}/payload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProvidersDeliveriesPayload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postProvidersDeliveriesResend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_guid}/endpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProvidersEndpoint"];
        put: operations["putProvidersEndpoint"];
        post?: never;
        delete: operations["deleteProvidersEndpoint"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_guid}/endpoint/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postProvidersEndpointPing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{provider_guid}/endpoint/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postProvidersEndpointRotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests/{request_guid}/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getRequestsQuestions"];
        put?: never;
        post: operations["postRequestsQuestions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/forms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServiceRequestForms"];
        put?: never;
        post: operations["postServiceRequestForms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/forms/{form_attachment_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteServiceRequestFormsByFormAttachmentGuid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/forms/reorder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postServiceRequestFormsReorder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postServiceRequestMatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServiceRequestMatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/matches/{match_guid}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServiceRequestMatchesAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/matches/{match_guid}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServiceRequestMatchesLink"];
        put?: never;
        post: operations["postServiceRequestMatchesLink"];
        delete: operations["deleteServiceRequestMatchesLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postServiceRequestPush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/push/{match_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postServiceRequestPushByMatchGuid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServiceRequestQuestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/questions/{question_guid}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postServiceRequestQuestionsAnswer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServiceRequestResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ServiceRequest/{id}/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServiceRequestSnapshot"];
        put: operations["putServiceRequestSnapshot"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/worklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getWorklist"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessCheck: {
            acts: components["schemas"]["DecidedAct"][];
            caller: {
                acting_for?: string;
                guid: string;
                /** @enum {unknown} */
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
            /** @enum {unknown} */
            kind: "user" | "api_key" | "provider";
        };
        AccessCheckInput: {
            caller: components["schemas"]["AccessCheckCaller"];
            id: string;
            resource_type: string;
        };
        Address: {
            city?: string;
            country?: string;
            district?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            line?: string[];
            period?: components["schemas"]["Period"];
            postalCode?: string;
            state?: string;
            text?: string;
            /** @enum {string} */
            type?: "both" | "physical" | "postal";
            /** @enum {string} */
            use?: "billing" | "home" | "old" | "temp" | "work";
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
            /** @enum {unknown} */
            status: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
            /** @enum {unknown} */
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
        Age: {
            code?: string;
            /** @enum {string} */
            comparator?: "<" | "<=" | ">" | ">=" | "ad";
            extension?: components["schemas"]["Extension"][];
            id?: string;
            system?: string;
            unit?: string;
            value?: number;
        };
        Annotation: {
            authorReference?: components["schemas"]["Reference"];
            authorString?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            text?: string;
            time?: string;
        };
        Attachment: {
            contentType?: string;
            creation?: string;
            data?: string;
            duration?: number;
            extension?: components["schemas"]["Extension"][];
            frames?: number;
            hash?: string;
            height?: number;
            id?: string;
            language?: string;
            pages?: number;
            size?: string;
            title?: string;
            url?: string;
            width?: number;
        };
        Availability: {
            availableTime?: components["schemas"]["Availability.availableTime"][];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            notAvailableTime?: components["schemas"]["Availability.notAvailableTime"][];
        };
        "Availability.availableTime": {
            allDay?: boolean;
            availableEndTime?: string;
            availableStartTime?: string;
            daysOfWeek?: ("fri" | "mon" | "sat" | "sun" | "thu" | "tue" | "wed")[];
            extension?: components["schemas"]["Extension"][];
            id?: string;
        };
        "Availability.notAvailableTime": {
            description?: string;
            during?: components["schemas"]["Period"];
            extension?: components["schemas"]["Extension"][];
            id?: string;
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
        CodeableConcept: {
            coding?: components["schemas"]["Coding"][];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            text?: string;
        };
        CodeableReference: {
            concept?: components["schemas"]["CodeableConcept"];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            reference?: components["schemas"]["Reference"];
        };
        Coding: {
            code?: string;
            display?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            system?: string;
            userSelected?: boolean;
            version?: string;
        };
        ContactDetail: {
            extension?: components["schemas"]["Extension"][];
            id?: string;
            name?: string;
            telecom?: components["schemas"]["ContactPoint"][];
        };
        ContactPoint: {
            extension?: components["schemas"]["Extension"][];
            id?: string;
            period?: components["schemas"]["Period"];
            rank?: number;
            /** @enum {string} */
            system?: "email" | "fax" | "other" | "pager" | "phone" | "sms" | "url";
            /** @enum {string} */
            use?: "home" | "mobile" | "old" | "temp" | "work";
            value?: string;
        };
        Count: {
            code?: string;
            /** @enum {string} */
            comparator?: "<" | "<=" | ">" | ">=" | "ad";
            extension?: components["schemas"]["Extension"][];
            id?: string;
            system?: string;
            unit?: string;
            value?: number;
        };
        DataRequirement: {
            codeFilter?: components["schemas"]["DataRequirement.codeFilter"][];
            dateFilter?: components["schemas"]["DataRequirement.dateFilter"][];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            limit?: number;
            mustSupport?: string[];
            profile?: string[];
            sort?: components["schemas"]["DataRequirement.sort"][];
            subjectCodeableConcept?: components["schemas"]["CodeableConcept"];
            subjectReference?: components["schemas"]["Reference"];
            type?: string;
            valueFilter?: components["schemas"]["DataRequirement.valueFilter"][];
        };
        "DataRequirement.codeFilter": {
            code?: components["schemas"]["Coding"][];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            path?: string;
            searchParam?: string;
            valueSet?: string;
        };
        "DataRequirement.dateFilter": {
            extension?: components["schemas"]["Extension"][];
            id?: string;
            path?: string;
            searchParam?: string;
            valueDateTime?: string;
            valueDuration?: components["schemas"]["Duration"];
            valuePeriod?: components["schemas"]["Period"];
        };
        "DataRequirement.sort": {
            /** @enum {string} */
            direction?: "ascending" | "descending";
            extension?: components["schemas"]["Extension"][];
            id?: string;
            path?: string;
        };
        "DataRequirement.valueFilter": {
            /** @enum {string} */
            comparator?: "eb" | "eq" | "ge" | "gt" | "le" | "lt" | "sa";
            extension?: components["schemas"]["Extension"][];
            id?: string;
            path?: string;
            searchParam?: string;
            valueDateTime?: string;
            valueDuration?: components["schemas"]["Duration"];
            valuePeriod?: components["schemas"]["Period"];
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
            /** @enum {unknown} */
            reason: "open_to_anyone" | "credentials_missing" | "call_granted" | "call_not_granted" | "password_change_required" | "second_factor_required" | "closed_to_proxies" | "role_held" | "role_missing" | "phase_missing" | "is_proxy" | "is_guardian" | "not_a_proxy" | "proxy_not_accepted" | "proxy_declined" | "proxy_withdrawn" | "proxy_over" | "guardian_ended" | "guardian_over" | "scope_held" | "scope_missing" | "report_completed" | "report_refused" | "report_kept" | "no_organisation" | "all_records" | "no_records" | "own_organisation" | "other_organisation" | "owner_only" | "not_protected" | "protected_identity" | "own_record" | "not_own_record" | "own_report" | "not_own_report" | "record_shown" | "record_hidden" | "organisations_only" | "unprotected_only" | "own_records_only" | "state_permits" | "state_refuses" | "acts_for_provider" | "not_for_provider" | "consent_given" | "consent_implied" | "consent_denied" | "consent_missing" | "consent_unclear";
            /** @enum {unknown} */
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
            /** @enum {unknown} */
            status: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
            /** @enum {unknown} */
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
            /** @enum {unknown} */
            status: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
            /** @enum {unknown} */
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
        Distance: {
            code?: string;
            /** @enum {string} */
            comparator?: "<" | "<=" | ">" | ">=" | "ad";
            extension?: components["schemas"]["Extension"][];
            id?: string;
            system?: string;
            unit?: string;
            value?: number;
        };
        Dosage: {
            additionalInstruction?: components["schemas"]["CodeableConcept"][];
            asNeeded?: boolean;
            asNeededFor?: components["schemas"]["CodeableConcept"][];
            doseAndRate?: components["schemas"]["Dosage.doseAndRate"][];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            maxDosePerAdministration?: components["schemas"]["Quantity"];
            maxDosePerLifetime?: components["schemas"]["Quantity"];
            maxDosePerPeriod?: components["schemas"]["Ratio"][];
            method?: components["schemas"]["CodeableConcept"];
            modifierExtension?: components["schemas"]["Extension"][];
            patientInstruction?: string;
            route?: components["schemas"]["CodeableConcept"];
            sequence?: number;
            site?: components["schemas"]["CodeableConcept"];
            text?: string;
            timing?: components["schemas"]["Timing"];
        };
        "Dosage.doseAndRate": {
            doseQuantity?: components["schemas"]["Quantity"];
            doseRange?: components["schemas"]["Range"];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            rateQuantity?: components["schemas"]["Quantity"];
            rateRange?: components["schemas"]["Range"];
            rateRatio?: components["schemas"]["Ratio"];
            type?: components["schemas"]["CodeableConcept"];
        };
        Duration: {
            code?: string;
            /** @enum {string} */
            comparator?: "<" | "<=" | ">" | ">=" | "ad";
            extension?: components["schemas"]["Extension"][];
            id?: string;
            system?: string;
            unit?: string;
            value?: number;
        };
        Expression: {
            description?: string;
            expression?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            language?: string;
            name?: string;
            reference?: string;
        };
        ExtendedContactDetail: {
            address?: components["schemas"]["Address"];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            name?: components["schemas"]["HumanName"][];
            organization?: components["schemas"]["Reference"];
            period?: components["schemas"]["Period"];
            purpose?: components["schemas"]["CodeableConcept"];
            telecom?: components["schemas"]["ContactPoint"][];
        };
        Extension: {
            extension?: components["schemas"]["Extension"][];
            id?: string;
            url?: string;
            valueAddress?: components["schemas"]["Address"];
            valueAge?: components["schemas"]["Age"];
            valueAnnotation?: components["schemas"]["Annotation"];
            valueAttachment?: components["schemas"]["Attachment"];
            valueAvailability?: components["schemas"]["Availability"];
            valueBase64Binary?: string;
            valueBoolean?: boolean;
            valueCanonical?: string;
            valueCode?: string;
            valueCodeableConcept?: components["schemas"]["CodeableConcept"];
            valueCodeableReference?: components["schemas"]["CodeableReference"];
            valueCoding?: components["schemas"]["Coding"];
            valueContactDetail?: components["schemas"]["ContactDetail"];
            valueContactPoint?: components["schemas"]["ContactPoint"];
            valueCount?: components["schemas"]["Count"];
            valueDataRequirement?: components["schemas"]["DataRequirement"];
            valueDate?: string;
            valueDateTime?: string;
            valueDecimal?: number;
            valueDistance?: components["schemas"]["Distance"];
            valueDosage?: components["schemas"]["Dosage"];
            valueDuration?: components["schemas"]["Duration"];
            valueExpression?: components["schemas"]["Expression"];
            valueExtendedContactDetail?: components["schemas"]["ExtendedContactDetail"];
            valueHumanName?: components["schemas"]["HumanName"];
            valueId?: string;
            valueIdentifier?: components["schemas"]["Identifier"];
            /** Format: date-time */
            valueInstant?: string;
            valueInteger?: number;
            valueInteger64?: string;
            valueMarkdown?: string;
            valueMeta?: components["schemas"]["Meta"];
            valueMoney?: components["schemas"]["Money"];
            valueOid?: string;
            valueParameterDefinition?: components["schemas"]["ParameterDefinition"];
            valuePeriod?: components["schemas"]["Period"];
            valuePositiveInt?: number;
            valueQuantity?: components["schemas"]["Quantity"];
            valueRange?: components["schemas"]["Range"];
            valueRatio?: components["schemas"]["Ratio"];
            valueRatioRange?: components["schemas"]["RatioRange"];
            valueReference?: components["schemas"]["Reference"];
            valueRelatedArtifact?: components["schemas"]["RelatedArtifact"];
            valueSampledData?: components["schemas"]["SampledData"];
            valueSignature?: components["schemas"]["Signature"];
            valueString?: string;
            valueTime?: string;
            valueTiming?: components["schemas"]["Timing"];
            valueTriggerDefinition?: components["schemas"]["TriggerDefinition"];
            valueUnsignedInt?: number;
            valueUri?: string;
            valueUrl?: string;
            valueUsageContext?: components["schemas"]["UsageContext"];
            valueUuid?: string;
        };
        FormAttachment: {
            /** @enum {unknown} */
            answered_by: "provider" | "patient";
            due: string | null;
            form_attachment_guid: string;
            form_guid: string;
            position: number;
            title: string;
        };
        FormAttachmentPage: {
            data: components["schemas"]["FormAttachment"][];
            page: number;
            per_page: number;
            total: number;
        };
        HumanName: {
            extension?: components["schemas"]["Extension"][];
            family?: string;
            given?: string[];
            id?: string;
            period?: components["schemas"]["Period"];
            prefix?: string[];
            suffix?: string[];
            text?: string;
            /** @enum {string} */
            use?: "anonymous" | "maiden" | "nickname" | "official" | "old" | "temp" | "usual";
        };
        Identifier: {
            assigner?: components["schemas"]["Reference"];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            period?: components["schemas"]["Period"];
            system?: string;
            type?: components["schemas"]["CodeableConcept"];
            /** @enum {string} */
            use?: "official" | "old" | "secondary" | "temp" | "usual";
            value?: string;
        };
        LinkState: {
            created_at: string | null;
            ended_at: string | null;
            is_mailed: boolean;
            /** @enum {unknown} */
            state: "none" | "works" | "withdrawn";
        };
        Match: {
            accepted_by?: {
                name: string | null;
            };
            blocked_reason?: string;
            contract_guid: string;
            delivery: components["schemas"]["MatchDelivery"] | null;
            match_guid: string;
            progress?: string;
            progress_note?: string;
            provider_guid: string;
            provider_name: string;
            /** Format: date-time */
            pushed_at?: string;
            rejected_reason?: string;
            reported_by?: {
                name: string | null;
            };
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
            /** @enum {unknown} */
            state: "queued" | "sending" | "delivered" | "retrying" | "dead" | "cancelled";
        };
        MatchPage: {
            data: components["schemas"]["Match"][];
            page: number;
            per_page: number;
            total: number;
        };
        Meta: {
            extension?: components["schemas"]["Extension"][];
            id?: string;
            /** Format: date-time */
            lastUpdated?: string;
            profile?: string[];
            security?: components["schemas"]["Coding"][];
            source?: string;
            tag?: components["schemas"]["Coding"][];
            versionId?: string;
        };
        Money: {
            currency?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            value?: number;
        };
        Narrative: {
            div?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            /** @enum {string} */
            status?: "additional" | "empty" | "extensions" | "generated";
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
            care_plan: {
                reference: string;
            } | null;
            /** Format: date-time */
            created_at: string;
            is_addressed: boolean;
            /** @enum {unknown} */
            kind: "question_asked" | "question_answered" | "request_accepted" | "request_rejected" | "request_given_up" | "request_expired" | "report_received" | "request_completed" | "delivery_dead" | "delivery_blocked" | "patient_reported" | "request_withdrawn" | "form_given" | "results_received";
            match_guid: string | null;
            notification_guid: string;
            patient: {
                reference: string;
            };
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
        OperationOutcome: {
            contained?: components["schemas"]["Resource"][];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            implicitRules?: string;
            issue: components["schemas"]["OperationOutcome.issue"][];
            language?: string;
            meta?: components["schemas"]["Meta"];
            modifierExtension?: components["schemas"]["Extension"][];
            /** @constant */
            resourceType: "OperationOutcome";
            text?: components["schemas"]["Narrative"];
        };
        "OperationOutcome.issue": {
            /** @enum {string} */
            code?: "business-rule" | "code-invalid" | "conflict" | "deleted" | "duplicate" | "exception" | "expired" | "extension" | "forbidden" | "incomplete" | "informational" | "invalid" | "invariant" | "limited-filter" | "lock-error" | "login" | "multiple-matches" | "no-store" | "not-found" | "not-supported" | "processing" | "required" | "security" | "structure" | "success" | "suppressed" | "throttled" | "timeout" | "too-costly" | "too-long" | "transient" | "unknown" | "value";
            details?: components["schemas"]["CodeableConcept"];
            diagnostics?: string;
            expression?: string[];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            location?: string[];
            modifierExtension?: components["schemas"]["Extension"][];
            /** @enum {string} */
            severity?: "error" | "fatal" | "information" | "success" | "warning";
        };
        OwnConsent: {
            consent_guid: string;
            decision: ("permit" | "deny") | null;
            ends_on: string | null;
            is_simple: boolean;
            organisation_guid: string | null;
            starts_on: string | null;
            /** @enum {unknown} */
            status: "active" | "ended";
            /** Format: date-time */
            updated_at: string;
        };
        OwnConsentInput: {
            /** @enum {unknown} */
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
                /** @enum {unknown} */
                after: "permitted" | "consent_denied" | "consent_cannot_be_evaluated" | "consent_missing";
                /** @enum {unknown} */
                before: "permitted" | "consent_denied" | "consent_cannot_be_evaluated" | "consent_missing";
                /** @enum {unknown} */
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
            /** @enum {unknown} */
            decision?: "permit" | "deny";
            ends?: string;
            /** Format: date */
            ends_on?: string;
            organisation_guid?: string;
            /** Format: date */
            starts_on?: string;
        };
        ParameterDefinition: {
            documentation?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            max?: string;
            min?: number;
            name?: string;
            profile?: string;
            type?: string;
            /** @enum {string} */
            use?: "in" | "out";
        };
        PatientForm: {
            answered_at: string | null;
            begun_at: string | null;
            can_change: boolean;
            due: string | null;
            given_by: {
                plan: {
                    reference: string;
                };
                request: {
                    reference: string;
                } | null;
            };
            patient_form_guid: string;
            response: {
                reference: string;
            } | null;
            reviewed_at: string | null;
            /** @enum {unknown} */
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
            /** @enum {string} */
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
        Period: {
            end?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            start?: string;
        };
        Problem: {
            /** @enum {string} */
            error: "invalid_request" | "validation_error" | "invalid_redirect" | "unauthorized" | "authentication_failed" | "forbidden" | "invalid_service_credentials" | "password_change_required" | "second_factor_required" | "consent_required" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "already_taken" | "expired" | "deleted" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "precondition_required" | "rate_limited" | "internal_error" | "upstream_error" | "unavailable" | "upstream_unavailable";
            message: string;
            messages?: string[];
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
            /** @enum {unknown} */
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
        Quantity: {
            code?: string;
            /** @enum {string} */
            comparator?: "<" | "<=" | ">" | ">=" | "ad";
            extension?: components["schemas"]["Extension"][];
            id?: string;
            system?: string;
            unit?: string;
            value?: number;
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
        Range: {
            extension?: components["schemas"]["Extension"][];
            high?: components["schemas"]["Quantity"];
            id?: string;
            low?: components["schemas"]["Quantity"];
        };
        Ratio: {
            denominator?: components["schemas"]["Quantity"];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            numerator?: components["schemas"]["Quantity"];
        };
        RatioRange: {
            denominator?: components["schemas"]["Quantity"];
            extension?: components["schemas"]["Extension"][];
            highNumerator?: components["schemas"]["Quantity"];
            id?: string;
            lowNumerator?: components["schemas"]["Quantity"];
        };
        Reference: {
            display?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            identifier?: components["schemas"]["Identifier"];
            reference?: string;
            type?: string;
        };
        RelatedArtifact: {
            citation?: string;
            classifier?: components["schemas"]["CodeableConcept"][];
            display?: string;
            document?: components["schemas"]["Attachment"];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            label?: string;
            publicationDate?: string;
            /** @enum {string} */
            publicationStatus?: "active" | "draft" | "retired" | "unknown";
            resource?: string;
            resourceReference?: components["schemas"]["Reference"];
            /** @enum {string} */
            type?: "amended-with" | "amends" | "appended-with" | "appends" | "citation" | "cite-as" | "cited-by" | "cites" | "comment-in" | "comments-on" | "composed-of" | "contained-in" | "contains" | "correction-in" | "corrects" | "created-with" | "depends-on" | "derived-from" | "documentation" | "documents" | "justification" | "part-of" | "predecessor" | "replaced-with" | "replaces" | "retracted-by" | "retracts" | "signs" | "similar-to" | "specification-of" | "successor" | "supported-with" | "supports" | "transformed-into" | "transformed-with" | "transforms";
        };
        ReplayedDelivery: {
            delivery_guid: string;
            /** @enum {unknown} */
            status: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
        };
        ReportedResult: {
            match_guid: string | null;
            provider_name: string | null;
            reference: string;
            reported_at: string | null;
            /** @enum {unknown} */
            reporter: "provider" | "patient";
            /** @enum {unknown} */
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
        Resource: {
            resourceType: string;
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
        SampledData: {
            codeMap?: string;
            data?: string;
            dimensions?: number;
            extension?: components["schemas"]["Extension"][];
            factor?: number;
            id?: string;
            interval?: number;
            intervalUnit?: string;
            lowerLimit?: number;
            offsets?: string;
            origin: components["schemas"]["Quantity"];
            upperLimit?: number;
        };
        ServiceStatus: {
            database: {
                latency_ms: number;
            };
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
            /** @enum {unknown} */
            source: "environment" | "env_file" | "secret_file" | "default" | "unset";
            type: string;
            value: string | null;
            when_unset: string | null;
        };
        Settings: {
            reference: string;
            settings: components["schemas"]["Setting"][];
        };
        Signature: {
            data?: string;
            extension?: components["schemas"]["Extension"][];
            id?: string;
            onBehalfOf?: components["schemas"]["Reference"];
            sigFormat?: string;
            targetFormat?: string;
            type?: components["schemas"]["Coding"][];
            /** Format: date-time */
            when?: string;
            who?: components["schemas"]["Reference"];
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
        Timing: {
            code?: components["schemas"]["CodeableConcept"];
            event?: string[];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            modifierExtension?: components["schemas"]["Extension"][];
            repeat?: components["schemas"]["Timing.repeat"];
        };
        "Timing.repeat": {
            boundsDuration?: components["schemas"]["Duration"];
            boundsPeriod?: components["schemas"]["Period"];
            boundsRange?: components["schemas"]["Range"];
            count?: number;
            countMax?: number;
            dayOfWeek?: ("fri" | "mon" | "sat" | "sun" | "thu" | "tue" | "wed")[];
            duration?: number;
            durationMax?: number;
            /** @enum {string} */
            durationUnit?: "a" | "d" | "h" | "min" | "mo" | "s" | "wk";
            extension?: components["schemas"]["Extension"][];
            frequency?: number;
            frequencyMax?: number;
            id?: string;
            offset?: number;
            period?: number;
            periodMax?: number;
            /** @enum {string} */
            periodUnit?: "a" | "d" | "h" | "min" | "mo" | "s" | "wk";
            timeOfDay?: string[];
            when?: ("AFT" | "AFT.early" | "AFT.late" | "EVE" | "EVE.early" | "EVE.late" | "IMD" | "MORN" | "MORN.early" | "MORN.late" | "NIGHT" | "NOON" | "PHS" | "AC" | "ACD" | "ACM" | "ACV" | "C" | "CD" | "CM" | "CV" | "HS" | "PC" | "PCD" | "PCM" | "PCV" | "WAKE")[];
        };
        TriggerDefinition: {
            code?: components["schemas"]["CodeableConcept"];
            condition?: components["schemas"]["Expression"];
            data?: components["schemas"]["DataRequirement"][];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            name?: string;
            subscriptionTopic?: string;
            timingDate?: string;
            timingDateTime?: string;
            timingReference?: components["schemas"]["Reference"];
            timingTiming?: components["schemas"]["Timing"];
            /** @enum {string} */
            type?: "data-access-ended" | "data-accessed" | "data-added" | "data-changed" | "data-modified" | "data-removed" | "named-event" | "periodic";
        };
        UsageContext: {
            code: components["schemas"]["Coding"];
            extension?: components["schemas"]["Extension"][];
            id?: string;
            valueCodeableConcept?: components["schemas"]["CodeableConcept"];
            valueQuantity?: components["schemas"]["Quantity"];
            valueRange?: components["schemas"]["Range"];
            valueReference?: components["schemas"]["Reference"];
        };
        WorklistItem: {
            asked_at: string | null;
            care_plan: {
                reference: string;
            };
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
            patient: {
                reference: string;
            };
            service_request_id: string;
            /** @enum {unknown} */
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
    responses: {
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
            };
        };
        OperationOutcome: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/fhir+json": components["schemas"]["OperationOutcome"];
                "application/json": components["schemas"]["OperationOutcome"];
            };
        };
    };
    parameters: {
        KedjaOrganisation: string;
        KedjaPatient: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAccessChecks: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessCheckInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessCheck"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            503: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getDeadLetters: {
        parameters: {
            query?: {
                cause?: string;
                page?: number;
                per_page?: number;
                provider_guid?: string;
                since?: string;
                until?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministeredDeliveryPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postDeadLettersDiscard: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        cancelled_reason: "discarded";
                        delivery_guid: string;
                        /** @enum {string} */
                        status: "cancelled";
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postDeadLettersReplay: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayedDelivery"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getDeadLettersCauses: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            cause: string;
                            dead_letters: number;
                            /** Format: date-time */
                            first_dead_at: string;
                            /** Format: date-time */
                            last_dead_at: string;
                            provider_guid: string;
                        }[];
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postDeadLettersReplayMany: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    cause?: string;
                    provider_guid?: string;
                    /** Format: date-time */
                    since?: string;
                    /** Format: date-time */
                    until?: string;
                };
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        replayed: number;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getDeliveries: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                provider_guid?: string;
                request_guid?: string;
                status?: "queued" | "sending" | "delivered" | "waiting" | "dead" | "held" | "cancelled";
                type?: "request.dispatched" | "request.withdrawn" | "request.revoked" | "ping";
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministeredDeliveryPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getForm: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogueFormPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getFormByFormGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                form_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getNotifications: {
        parameters: {
            query?: {
                kind?: "question_asked" | "question_answered" | "request_accepted" | "request_rejected" | "request_given_up" | "request_expired" | "report_received" | "request_completed" | "delivery_dead" | "delivery_blocked" | "patient_reported" | "request_withdrawn" | "form_given" | "results_received";
                page?: number;
                per_page?: number;
                service_request_id?: string;
                unread?: boolean;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postNotificationsRead: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notification_guid: string;
                        /** Format: date-time */
                        read_at: string;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postNotificationsReadAll: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        read: number;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getOwnConsents: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnConsentPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postOwnConsents: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnConsentInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnConsent"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postOwnConsentsEnd: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                consent_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnConsent"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postOwnConsentsPreview: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnConsentPreviewInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnConsentPreview"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getPatientForms: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                status?: "to_do" | "begun" | "answered";
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatientFormPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getPatientFormsByGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    putPatientFormsDraft: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatientFormAnswers"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatientForm"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deletePatientFormsDraft: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatientForm"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    putPatientFormsResponse: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatientFormAnswers"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/fhir+json": Record<string, never>;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postPatientFormsResponse: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatientFormAnswers"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/fhir+json": Record<string, never>;
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deletePatientFormsResponse: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
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
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProvidersDeliveriesByDeliveryGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                delivery_guid: string;
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetails"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProvidersDeliveriesPayload: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                delivery_guid: string;
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: unknown;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        /** @enum {unknown} */
                        type: "request.dispatched" | "request.withdrawn" | "request.revoked" | "ping";
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            410: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postProvidersDeliveriesResend: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                delivery_guid: string;
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayedDelivery"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            410: components["responses"]["Error"];
            422: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProvidersEndpoint: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderEndpoint"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    putProvidersEndpoint: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderEndpointInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderEndpoint"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewProviderEndpoint"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteProvidersEndpoint: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postProvidersEndpointPing: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery_guid: string;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            422: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postProvidersEndpointRotateSecret: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                provider_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 24 */
                    grace_hours?: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        previous_secret_valid_until: string | null;
                        secret: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getRequestsQuestions: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                request_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        questions: components["schemas"]["Question"][];
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            410: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postRequestsQuestions: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                request_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    question: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            410: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getServiceRequestForms: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormAttachmentPage"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    postServiceRequestForms: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    answered_by?: "provider" | "patient";
                    /** Format: date */
                    due?: string;
                    form_guid: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormAttachment"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            413: components["responses"]["OperationOutcome"];
            415: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    deleteServiceRequestFormsByFormAttachmentGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                form_attachment_guid: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    postServiceRequestFormsReorder: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ordered_guids: string[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormAttachmentPage"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            413: components["responses"]["OperationOutcome"];
            415: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    postServiceRequestMatch: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date */
                    date?: string;
                    region?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        matches: components["schemas"]["Match"][];
                    };
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            413: components["responses"]["OperationOutcome"];
            415: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    getServiceRequestMatches: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchPage"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    getServiceRequestMatchesAttempts: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                id: string;
                match_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryAttemptPage"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    getServiceRequestMatchesLink: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
                match_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkState"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    postServiceRequestMatchesLink: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
                match_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email?: string;
                    /**
                     * @default sv
                     * @enum {unknown}
                     */
                    language?: "sv" | "en";
                    /** @default false */
                    qr?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewLink"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            413: components["responses"]["OperationOutcome"];
            415: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            429: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    deleteServiceRequestMatchesLink: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
                match_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    postServiceRequestPush: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PushInput"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushOutcome"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            413: components["responses"]["OperationOutcome"];
            415: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    postServiceRequestPushByMatchGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
                match_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PushInput"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushOutcome"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            413: components["responses"]["OperationOutcome"];
            415: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    getServiceRequestQuestions: {
        parameters: {
            query?: {
                answered?: boolean;
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuestionOfMatchPage"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    postServiceRequestQuestionsAnswer: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
                question_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    answer: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            410: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            413: components["responses"]["OperationOutcome"];
            415: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    getServiceRequestResults: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedResultPage"];
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    getServiceRequestSnapshot: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    putServiceRequestSnapshot: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    note?: string;
                    occurrence?: string | {
                        [key: string]: unknown;
                    };
                    plan_definition?: {
                        [key: string]: unknown;
                    };
                    /** @enum {unknown} */
                    priority?: "routine" | "urgent" | "asap" | "stat";
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["OperationOutcome"];
            401: components["responses"]["OperationOutcome"];
            403: components["responses"]["OperationOutcome"];
            404: components["responses"]["OperationOutcome"];
            406: components["responses"]["OperationOutcome"];
            409: components["responses"]["OperationOutcome"];
            412: components["responses"]["OperationOutcome"];
            413: components["responses"]["OperationOutcome"];
            415: components["responses"]["OperationOutcome"];
            422: components["responses"]["OperationOutcome"];
            default: components["responses"]["OperationOutcome"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statistics"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceStatus"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getWorklist: {
        parameters: {
            query?: {
                archived?: boolean;
                mine?: boolean;
                order?: "newest" | "oldest";
                page?: number;
                patient_guid?: string;
                per_page?: number;
                provider_guid?: string;
                stage?: "draft" | "to_send" | "unanswered" | "refused" | "in_work" | "on_hold" | "completed" | "revoked";
                undelivered?: boolean;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorklistPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
}
