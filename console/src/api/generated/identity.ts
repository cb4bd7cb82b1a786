// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/
export interface paths {
    "/api/admin/access-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminAccessRequests"];
        put?: never;
        post: operations["postAdminAccessRequests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/assign-group-admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postAdminAssignGroupAdmin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/group-proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminGroupProposals"];
        put?: never;
        post: operations["postAdminGroupProposals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/groups/{group_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteAdminGroupsByGroupGuid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/leader-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminLeaderRequests"];
        put?: never;
        post: operations["postAdminLeaderRequests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/oath-overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminOathOverview"];
        put: operations["putAdminOathOverview"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organisation-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminOrganisationSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminOrganisations"];
        put?: never;
        post: operations["postAdminOrganisations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organisations/{organisation_guid}/provider": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["putAdminOrganisationsProvider"];
        post?: never;
        delete: operations["deleteAdminOrganisationsProvider"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/promote-su": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postAdminPromoteSu"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/user-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminUserSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminUsersByUserGuid"];
        put?: never;
        post?: never;
        delete: operations["deleteAdminUsersByUserGuid"];
        options?: never;
        head?: never;
        patch: operations["patchAdminUsersByUserGuid"];
        trace?: never;
    };
    "/api/admin/users/{user_guid}/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postAdminUsersBlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user_guid}/deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminUsersDeletion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user_guid}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAdminUsersMerge"];
        put?: never;
        post: operations["postAdminUsersMerge"];
        delete: operations["deleteAdminUsersMerge"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user_guid}/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postAdminUsersPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user_guid}/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteAdminUsersSecondFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user_guid}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteAdminUsersSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{user_guid}/unblock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postAdminUsersUnblock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAuthAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patchAuthAccount"];
        trace?: never;
    };
    "/api/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAuthMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAuthSecondFactor"];
        put?: never;
        post: operations["postAuthSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAuthSessions"];
        put?: never;
        post?: never;
        delete: operations["deleteAuthSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions/{session_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteAuthSessionsBySessionGuid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAuthSessionsCurrent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postGroupsAdminDecide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/decision-queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGroupsAdminDecisionQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGroupsAdminGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/groups/{group_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGroupsAdminGroupsByGroupGuid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/groups/{group_guid}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGroupsAdminGroupsInvites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/groups/{group_guid}/invites/{invite_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteGroupsAdminGroupsInvitesByInviteGuid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/groups/{group_guid}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGroupsAdminGroupsMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/groups/{group_guid}/members/{user_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteGroupsAdminGroupsMembersByUserGuid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/admin/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postGroupsAdminInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/groups/join-by-invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postGroupsJoinByInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patient/proxies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPatientProxies"];
        put?: never;
        post: operations["postPatientProxies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patient/proxies/{proxy_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deletePatientProxiesByProxyGuid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patient/proxies/{proxy_guid}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postPatientProxiesAccept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patient/registry-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPatientRegistryStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/patients/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postPatientsLookup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/organisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPublicOrganisations"];
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
        AccessMembership: {
            group_guid: string;
            group_name: string;
            group_type: string;
            is_admin: boolean;
            status: string;
        };
        AccessRequest: {
            access_request_guid: string;
            chosen_leader_guid: string | null;
            chosen_leader_name: string | null;
            created_at: string;
            email: string;
            endorsed_at: string | null;
            endorsed_by_guid: string | null;
            first_name: string;
            last_name: string;
            organisation_guid: string;
            organisation_name: string;
            /** @enum {unknown} */
            professional_role: "doctor" | "nurse" | "other";
            requested_phases: string[];
            /** @enum {unknown} */
            status: "pending" | "endorsed" | "approved" | "rejected";
        };
        AccountMerge: {
            email: string;
            groups: {
                group_guid: string;
                group_type: string;
                is_admin: boolean;
                name: string;
            }[];
            into_user_guid: string;
            is_merged: boolean;
            organisations: components["schemas"]["NamedOrganisation"][];
            patient_guid: string | null;
            registries: string[];
            rights_left: ("su_admin" | "privacy_officer")[];
            sessions: number;
            user_guid: string;
        };
        AdministeredGroup: {
            admins: number;
            description: string | null;
            group_guid: string;
            group_type: string;
            invites: number;
            members: number;
            name: string;
            pending: number;
        };
        AdministeredGroupPage: {
            data: components["schemas"]["AdministeredGroup"][];
            page: number;
            per_page: number;
            total: number;
        };
        AuditEntry: {
            /** @enum {unknown} */
            action: "C" | "R" | "U" | "D" | "E";
            actor: {
                email: string | null;
                operator: string | null;
                roles: string[];
                service: string | null;
                user_guid: string | null;
            };
            address: string | null;
            audit_guid: string;
            detail: string | null;
            entities: string[];
            event: string;
            /** @enum {unknown} */
            outcome: "success" | "failure";
            patient_guid: string | null;
            recorded_at: string;
            request_id: string | null;
            subject: {
                email: string | null;
                user_guid: string;
            } | null;
        };
        CountedOrganisation: {
            name: string;
            organisation_guid: string;
            professionals: number;
            provider_guid: string | null;
        };
        CountedOrganisationPage: {
            data: components["schemas"]["CountedOrganisation"][];
            page: number;
            per_page: number;
            total: number;
        };
        GroupMember: {
            created_at: string;
            email: string;
            first_name: string | null;
            is_admin: boolean;
            last_name: string | null;
            membership_guid: string;
            /** @enum {unknown} */
            status: "pending" | "approved" | "rejected";
            user_guid: string;
        };
        GroupMemberPage: {
            data: components["schemas"]["GroupMember"][];
            page: number;
            per_page: number;
            total: number;
        };
        GroupMembership: {
            group_guid: string;
            group_name: string;
            group_type: string;
            is_admin: boolean;
            membership_guid: string;
            /** @enum {unknown} */
            status: "pending" | "approved" | "rejected";
        };
        GroupProposal: {
            created_at: string;
            description: string | null;
            first_name: string | null;
            /** @enum {unknown} */
            group_type: "phase" | "team" | "organisation" | "quality_registry";
            last_name: string | null;
            name: string;
            proposal_guid: string;
            /** @enum {unknown} */
            status: "pending" | "approved" | "rejected";
            user_email: string;
            user_guid: string;
        };
        Invite: {
            created_at: string;
            created_by: string | null;
            expires_at: string;
            invite_guid: string;
        };
        LeaderRequest: {
            created_at: string;
            first_name: string | null;
            group_guid: string;
            group_name: string;
            last_name: string | null;
            leader_request_guid: string;
            /** @enum {unknown} */
            status: "pending" | "approved" | "rejected";
            user_email: string;
            user_guid: string;
        };
        LinkedRecords: {
            dispatch: string[];
            engine: string[];
        };
        ListedPatient: {
            in_registry: boolean;
            organisation_guid: string | null;
            patient_guid: string;
            registries: string[];
        };
        ListedProfessional: {
            is_privacy_officer?: boolean;
            memberships: components["schemas"]["GroupMembership"][];
            professional_guid: string;
            /** @enum {unknown} */
            professional_role: "doctor" | "nurse" | "other";
        };
        NamedOrganisation: {
            name: string;
            organisation_guid: string;
        };
        NewInvite: {
            expires_at: string;
            group_guid: string;
            invite_guid: string;
            link?: string;
            qr_svg?: string;
            token: string;
        };
        OpenDecision: {
            chosen_leader_name: string | null;
            created_at: string;
            description: string | null;
            email: string;
            first_name: string | null;
            group_guid: string | null;
            group_name: string | null;
            group_type: string | null;
            guid: string;
            /** @enum {unknown} */
            kind: "access_request" | "membership" | "leader_request" | "group_proposal";
            last_name: string | null;
            may_decide: boolean;
            organisation_name: string | null;
            professional_role: string | null;
            requested_phases: string[];
            /** @enum {unknown} */
            status: "pending" | "endorsed";
            user_guid: string | null;
        };
        OpenDecisionPage: {
            counts: {
                access_request: number;
                group_proposal: number;
                leader_request: number;
                membership: number;
            };
            data: components["schemas"]["OpenDecision"][];
            page: number;
            per_page: number;
            total: number;
        };
        Organisation: {
            name: string;
            organisation_guid: string;
            provider_guid?: string;
            /** @enum {string} */
            resourceType: "Organization";
        };
        OwnAccount: {
            email: string;
            first_name: string | null;
            last_name: string | null;
            pending_email: string | null;
            user_guid: string;
            /** @enum {unknown} */
            user_type: "professional" | "patient";
        };
        PatientAccess: {
            email: string;
            /** @enum {string} */
            fhir_resource_type: "Patient";
            in_registry: boolean;
            is_su_admin: boolean;
            linked_records?: components["schemas"]["LinkedRecords"];
            must_change_password?: boolean;
            must_set_up_second_factor?: boolean;
            organisation_guid: string;
            patient_guid: string;
            proxy_for?: components["schemas"]["ProxyGrant"][];
            registries: string[];
            tenant?: string;
            user_guid: string;
            /** @enum {string} */
            user_type: "patient";
        };
        PatientProxy: {
            accepted_at: string | null;
            created_at: string | null;
            delegate_guid: string | null;
            delegate_name: string | null;
            ended_at: string | null;
            ended_by: ("patient" | "delegate" | "administrator") | null;
            ends_at: string | null;
            /** @enum {unknown} */
            kind: "proxy" | "guardian";
            /** @enum {unknown} */
            may: "read" | "act";
            named: string | null;
            patient_guid: string | null;
            patient_name: string | null;
            proxy_guid: string;
            /** @enum {unknown} */
            status: "invited" | "active" | "ended";
        };
        Problem: {
            /** @enum {string} */
            error: "invalid_request" | "validation_error" | "invalid_redirect" | "unauthorized" | "authentication_failed" | "forbidden" | "invalid_service_credentials" | "password_change_required" | "second_factor_required" | "consent_required" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "already_taken" | "expired" | "deleted" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "precondition_required" | "rate_limited" | "internal_error" | "upstream_error" | "unavailable" | "upstream_unavailable";
            message: string;
            messages?: string[];
        };
        ProfessionalAccess: {
            effective_phases: string[];
            email: string;
            /** @enum {string} */
            fhir_resource_type: "Practitioner";
            groups: components["schemas"]["AccessMembership"][];
            is_privacy_officer?: boolean;
            is_su_admin: boolean;
            must_change_password?: boolean;
            must_set_up_second_factor?: boolean;
            name?: string;
            organization_ids: string[];
            professional_guid: string;
            professional_role: "doctor" | "nurse" | "other";
            provider_staff?: components["schemas"]["ProviderStaff"][];
            tenant?: string;
            user_guid: string;
            /** @enum {string} */
            user_type: "professional";
        };
        ProviderStaff: {
            organisation_guid: string;
            provider_guid: string;
        };
        ProxyGrant: {
            linked_records?: components["schemas"]["LinkedRecords"];
            /** @enum {unknown} */
            may: "read" | "act";
            patient_guid: string;
        };
        ProxyInvitation: {
            /** Format: email */
            email?: string;
            /** @enum {unknown} */
            may: "read" | "act";
            personnummer?: string;
            /** Format: date */
            until: string;
        };
        ProxyLists: {
            given: components["schemas"]["PatientProxy"][];
            received: components["schemas"]["PatientProxy"][];
        };
        QueueFigures: {
            dead: number;
            oldest_s: number;
            waiting: number;
        };
        RegisteredService: {
            api_health_url: string;
            capability_statement_url: string;
            endpoints_url: string;
            notes: string;
            privilege_level: string;
            service_name: string;
            service_url: string;
        };
        RegistryStatus: {
            in_registry: boolean;
            organisation_guid: string;
            patient_guid: string;
            personnummer: string;
            registries: string[];
            /** @enum {string} */
            resourceType: "Patient";
            user_guid: string;
        };
        RequestFigures: {
            errors: number;
            routes: components["schemas"]["RouteFigures"][];
            total: number;
        };
        ResetCode: {
            code: string;
            expires_at: string;
            message: string;
            user_guid: string;
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
        SecondFactorSetup: {
            expires_at: string;
            otpauth_uri: string;
            secret: string;
        };
        SecondFactorState: {
            enabled: boolean;
            enabled_at?: string;
            recovery_codes_left?: number;
            required: boolean;
        };
        ServiceStatus: {
            database: {
                latency_ms: number;
            };
            mails: components["schemas"]["QueueFigures"];
            requests: components["schemas"]["RequestFigures"];
            /** Format: date-time */
            started_at: string;
            version: string;
        };
        Session: {
            address: string | null;
            client_id: string | null;
            client_name: string | null;
            clients: {
                client_id: string | null;
                client_name: string | null;
                destination: string | null;
                tenant?: string;
            }[];
            created_at: string;
            current: boolean;
            expires_at: string;
            idle_ends_at: string | null;
            last_used_at: string | null;
            session_guid: string;
            tenants?: string[];
            user_agent: string | null;
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
        User: {
            blocked_at?: string;
            created_at: string;
            email: string;
            first_name: string | null;
            is_su_admin: boolean;
            last_login_at: string | null;
            last_name: string | null;
            merged_into?: string;
            organisations: components["schemas"]["NamedOrganisation"][];
            patient?: components["schemas"]["ListedPatient"];
            professional?: components["schemas"]["ListedProfessional"];
            user_guid: string;
            /** @enum {unknown} */
            user_type: "professional" | "patient";
        };
        UserChange: {
            /** Format: email */
            email?: string;
            first_name?: string;
            is_privacy_officer?: boolean;
            last_name?: string;
            organisation_guids?: string[];
            phases?: string[];
            /** @enum {unknown} */
            professional_role?: "doctor" | "nurse" | "other";
        };
        UserChanged: {
            message: string;
            user_guid: string;
        };
        UserDeletion: {
            decisions: number;
            email: string;
            led_groups: string[];
            linked_records: number;
            memberships: number;
            merged_accounts: number;
            open_requests: number;
            proxies: number;
            sessions: number;
            user_guid: string;
        };
        UserDetails: {
            blocked_at?: string;
            created_at: string;
            email: string;
            first_name: string | null;
            is_su_admin: boolean;
            last_login_at: string | null;
            last_name: string | null;
            merged_accounts: {
                email: string;
                user_guid: string;
            }[];
            merged_into?: string;
            must_change_password: boolean;
            organisations: components["schemas"]["NamedOrganisation"][];
            patient?: components["schemas"]["ListedPatient"];
            professional?: components["schemas"]["ListedProfessional"];
            second_factor_since: string | null;
            sessions: components["schemas"]["Session"][];
            user_guid: string;
            /** @enum {unknown} */
            user_type: "professional" | "patient";
        };
        UserPage: {
            data: components["schemas"]["User"][];
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
    };
    parameters: {
        KedjaOrganisation: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAdminAccessRequests: {
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
                    "application/json": components["schemas"]["AccessRequest"][];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAdminAccessRequests: {
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
                "application/json": {
                    access_request_guid: string;
                    /** @enum {unknown} */
                    decision: "endorsed" | "approved" | "rejected";
                    reason?: string;
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
                        access_request_guid: string;
                        /** @enum {unknown} */
                        status: "pending" | "endorsed" | "approved" | "rejected";
                        user_guid?: string;
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
            default: components["responses"]["Error"];
        };
    };
    postAdminAssignGroupAdmin: {
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
                    group_guid: string;
                    user_guid: string;
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
                        group_guid: string;
                        is_admin: boolean;
                        message: string;
                        user_guid: string;
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
    getAdminAudit: {
        parameters: {
            query?: {
                cursor?: string;
                event?: string;
                outcome?: "success" | "failure";
                page?: number;
                per_page?: number;
                since?: string;
                until?: string;
                user_guid?: string;
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
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAdminGroupProposals: {
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
                    "application/json": components["schemas"]["GroupProposal"][];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAdminGroupProposals: {
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
                "application/json": {
                    /** @enum {unknown} */
                    decision: "approved" | "rejected";
                    proposal_guid: string;
                    reason?: string;
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
                        group_guid?: string;
                        proposal_guid: string;
                        /** @enum {unknown} */
                        status: "pending" | "approved" | "rejected";
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
            default: components["responses"]["Error"];
        };
    };
    deleteAdminGroupsByGroupGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                group_guid: string;
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
                        group_guid: string;
                        message: string;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAdminLeaderRequests: {
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
                    "application/json": components["schemas"]["LeaderRequest"][];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAdminLeaderRequests: {
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
                "application/json": {
                    /** @enum {unknown} */
                    decision: "approved" | "rejected";
                    leader_request_guid: string;
                    reason?: string;
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
                        group_guid: string;
                        leader_request_guid: string;
                        /** @enum {unknown} */
                        status: "pending" | "approved" | "rejected";
                        user_guid: string;
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
            default: components["responses"]["Error"];
        };
    };
    getAdminOathOverview: {
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
                    "application/json": components["schemas"]["RegisteredService"][];
                    "text/csv": string;
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    putAdminOathOverview: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisteredService"][];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredService"][];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            412: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAdminOrganisationSearch: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                provider_guid?: string;
                search?: string;
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
                    "application/json": components["schemas"]["CountedOrganisationPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAdminOrganisations: {
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
                    "application/json": components["schemas"]["Organisation"][];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAdminOrganisations: {
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
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organisation"];
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
    putAdminOrganisationsProvider: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                organisation_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    provider_guid: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organisation"];
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
    deleteAdminOrganisationsProvider: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                organisation_guid: string;
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
                    "application/json": components["schemas"]["Organisation"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAdminPromoteSu: {
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
                    password: string;
                    user_guid: string;
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
                        is_su_admin: boolean;
                        message: string;
                        user_guid: string;
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
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAdminSettings: {
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
    getAdminStatus: {
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
    getAdminUserSearch: {
        parameters: {
            query?: {
                group_guid?: string;
                organisation_guid?: string;
                page?: number;
                per_page?: number;
                search?: string;
                state?: "active" | "blocked" | "merged" | "su_admin";
                user_type?: "professional" | "patient";
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
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAdminUsersByUserGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                    "application/json": components["schemas"]["UserDetails"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteAdminUsersByUserGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                    "application/json": components["schemas"]["UserChanged"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    patchAdminUsersByUserGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserChanged"];
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
    postAdminUsersBlock: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                    "application/json": components["schemas"]["UserChanged"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAdminUsersDeletion: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                    "application/json": components["schemas"]["UserDeletion"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAdminUsersMerge: {
        parameters: {
            query: {
                into_user_guid: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                    "application/json": components["schemas"]["AccountMerge"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAdminUsersMerge: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    into_user_guid: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountMerge"];
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
    deleteAdminUsersMerge: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                    "application/json": components["schemas"]["UserChanged"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAdminUsersPasswordReset: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetCode"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteAdminUsersSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                    "application/json": components["schemas"]["UserChanged"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteAdminUsersSessions: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                        message: string;
                        revoked: number;
                        user_guid: string;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAdminUsersUnblock: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                user_guid: string;
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
                    "application/json": components["schemas"]["UserChanged"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAuthAccount: {
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
                    "application/json": components["schemas"]["OwnAccount"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    patchAuthAccount: {
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
                    first_name?: string;
                    last_name?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnAccount"];
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
    getAuthMe: {
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
                    "application/json": components["schemas"]["ProfessionalAccess"] | components["schemas"]["PatientAccess"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAuthSecondFactor: {
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
                    "application/json": components["schemas"]["SecondFactorState"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postAuthSecondFactor: {
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
                    code?: string;
                    current_password: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorSetup"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAuthSessions: {
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
                    "application/json": components["schemas"]["Session"][];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteAuthSessions: {
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
                        message: string;
                        revoked: number;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteAuthSessionsBySessionGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                session_guid: string;
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
                        message: string;
                        session_guid: string;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAuthSessionsCurrent: {
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
                        expires_at: string;
                        idle_ends_at: string | null;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postGroupsAdminDecide: {
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
                "application/json": {
                    /** @enum {unknown} */
                    decision: "approved" | "rejected";
                    membership_guid: string;
                    reason?: string;
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
                        decided_by: string;
                        membership_guid: string;
                        /** @enum {unknown} */
                        status: "pending" | "approved" | "rejected";
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
            default: components["responses"]["Error"];
        };
    };
    getGroupsAdminDecisionQueue: {
        parameters: {
            query?: {
                kind?: "access_request" | "membership" | "leader_request" | "group_proposal";
                min_days?: number;
                order?: "oldest" | "newest";
                page?: number;
                per_page?: number;
                search?: string;
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
                    "application/json": components["schemas"]["OpenDecisionPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getGroupsAdminGroups: {
        parameters: {
            query?: {
                group_type?: "phase" | "team" | "organisation" | "quality_registry";
                page?: number;
                per_page?: number;
                search?: string;
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
                    "application/json": components["schemas"]["AdministeredGroupPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getGroupsAdminGroupsByGroupGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                group_guid: string;
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
                    "application/json": components["schemas"]["AdministeredGroup"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getGroupsAdminGroupsInvites: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                group_guid: string;
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
                    "application/json": components["schemas"]["Invite"][];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteGroupsAdminGroupsInvitesByInviteGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                group_guid: string;
                invite_guid: string;
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
                        invite_guid: string;
                        message: string;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getGroupsAdminGroupsMembers: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                search?: string;
                status?: "pending" | "approved" | "rejected";
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                group_guid: string;
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
                    "application/json": components["schemas"]["GroupMemberPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteGroupsAdminGroupsMembersByUserGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                group_guid: string;
                user_guid: string;
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
                    "application/json": components["schemas"]["UserChanged"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postGroupsAdminInvite: {
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
                "application/json": {
                    group_guid: string;
                    /** @default 72 */
                    hours_valid?: number;
                    /** @default false */
                    with_link?: boolean;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvite"];
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
    postGroupsJoinByInvite: {
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
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        group_guid: string;
                        membership_guid: string;
                        status: string;
                    };
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
    getPatientProxies: {
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
                    "application/json": components["schemas"]["ProxyLists"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postPatientProxies: {
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
                "application/json": components["schemas"]["ProxyInvitation"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatientProxy"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deletePatientProxiesByProxyGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                proxy_guid: string;
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
                    "application/json": components["schemas"]["PatientProxy"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postPatientProxiesAccept: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                proxy_guid: string;
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
                    "application/json": components["schemas"]["PatientProxy"];
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
    getPatientRegistryStatus: {
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
                    "application/json": components["schemas"]["RegistryStatus"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postPatientsLookup: {
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
                    personnummer: string;
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
                        is_registered: boolean;
                        patient_guid: string;
                        records: {
                            id: string;
                            /** @enum {unknown} */
                            service: "engine" | "dispatch";
                        }[];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getPublicOrganisations: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: never;
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
                    "application/json": components["schemas"]["NamedOrganisation"][];
                };
            };
            400: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
}
