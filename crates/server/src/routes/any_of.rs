//! Bodies that have one of several shapes, for the description.

/// A type that is described as any of others. Unlike an enum's `oneOf` it may be several at once:
/// an empty list is a list of whatever.
macro_rules! any_of {
    ($(#[$attribute:meta])* $name:ident: $($of:ty),+ $(,)?) => {
        $(#[$attribute])*
        pub(crate) struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                use utoipa::ToSchema;
                use utoipa::openapi::schema::AnyOfBuilder;
                use utoipa::openapi::{Ref, RefOr, Schema};
                let any = AnyOfBuilder::new()
                    $(.item(Ref::from_schema_name(<$of as ToSchema>::name())))+;
                RefOr::T(Schema::AnyOf(any.build()))
            }
        }

        impl utoipa::ToSchema for $name {
            fn schemas(
                schemas: &mut Vec<(
                    String,
                    utoipa::openapi::RefOr<utoipa::openapi::Schema>,
                )>,
            ) {
                use utoipa::{PartialSchema, ToSchema};
                $(
                    <$of as ToSchema>::schemas(schemas);
                    let name = <$of as ToSchema>::name().into_owned();
                    schemas.push((name, <$of as PartialSchema>::schema()));
                )+
            }
        }
    };
}

pub(super) use any_of;
